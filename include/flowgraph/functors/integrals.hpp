#pragma once
// Functions that are defined by integrals: by the rational approximations of the Cephes library (Moshier), in the type of the
// argument, as in TensorFlow.

#include <flowgraph/functors/numbers.hpp>
#include <flowgraph/functors/polynomial.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::functor {

namespace integral_functions {

// Quotients of polynomials, numbered by the intervals that they serve.
FLOWGRAPH_TABLE double dawson_1_over[] = {
    1.1368149897175597e-11, 8.492622676674738e-10,  1.9443420417555306e-8, 9.531517412544844e-7, 3.078283098749132e-6,
    0.00035251336852028877, -0.0008501498467244109, 0.04226182230055466,   -0.09174803717734524, 1};
FLOWGRAPH_TABLE double dawson_2_over[] = {0.5089551564179009,     -0.24475441814269785,   0.09415123353035344,
                                          -0.021871125514203903,  0.003662076123295692,   -0.0004232091144603888,
                                          3.5964130479389666e-5,  -2.1464035171996896e-6, 9.100107800763914e-8,
                                          -2.4027452082825098e-9, 3.592333854409284e-11};
FLOWGRAPH_TABLE double dawson_3_over[] = {-0.5905928605347732, 0.6292352427243688, -0.17285897538038814, 0.016483704782518965,
                                          -0.0004868276130204627};
FLOWGRAPH_TABLE double dawson_1_under[] = {2.403720730667626e-11,
                                           1.488646813684934e-9,
                                           5.212652810105416e-8,
                                           1.2725847827318697e-6,
                                           2.324902498207895e-5,
                                           0.00032552474182605793,
                                           0.003488058146571626,
                                           0.027944853119882897,
                                           0.15887424196012057,
                                           0.5749186294893204,
                                           1};
FLOWGRAPH_TABLE double dawson_2_under[] = {1,
                                           -0.6318398698733682,
                                           0.2367067882282487,
                                           -0.053180636700322324,
                                           0.008480417185862954,
                                           -0.0009479967684866654,
                                           7.810255929445524e-5,
                                           -4.558751532524426e-6,
                                           1.8910035811142186e-7,
                                           -4.913246913319206e-9,
                                           7.184664032357345e-11};
FLOWGRAPH_TABLE double dawson_3_under[] = {
    1, -2.698200571975449, 1.7327079904594784, -0.3937085822819395, 0.03442789240412334, -0.0009736552260409412};
FLOWGRAPH_TABLE double expint_1_over[] = {-5.350447357812543, 218.50491688166133,  -4176.572384826693,
                                          55411.76756393557,  -331338.13311781443, 1592627.1633849454};
FLOWGRAPH_TABLE double expint_2_over[] = {0.019818085032596897,   -1.2716456259849176, -2.0881603356812284,
                                          2.7555445091879367,     -0.44095070487016,   0.046656238059358916,
                                          -0.0015450426796734852, 7.059980605299618e-5};
FLOWGRAPH_TABLE double expint_3_over[] = {-1.3732153758712087,  -0.7084559133740839,  1.580806855547941,
                                          -0.2601500427425623,  0.029946746941137137, -0.001038086040188744,
                                          4.371064420753005e-5, 2.141783679522603e-6};
FLOWGRAPH_TABLE double expint_4_over[] = {
    -2.1069346016919166,   1.7327338696646881,    -0.2423619178935842,   0.02322724180937566,   0.00023728804404931798,
    -8.343219561192553e-5, 1.3634087956052505e-5, -3.655412321999254e-7, 1.4649417339759612e-8, 6.17640786371036e-10};
FLOWGRAPH_TABLE double expint_5_over[] = {-0.24581193676740204,  -0.14833822533220778, 0.07248291795735552,
                                          -0.013483156873809405, 0.001342775069788637, -7.942465637159712e-5,
                                          2.644179518984236e-6,  -4.239473659313765e-8};
FLOWGRAPH_TABLE double expint_6_over[] = {0.12125611181054567,   -0.5823133179043894,   0.2348887314557017,
                                          -0.030400343181132484, 0.0015100821468651906, -2.5231370954995714e-5};
FLOWGRAPH_TABLE double expint_7_over[] = {-0.7657847078286127,    0.6886192415566705,    -0.2132598113545206,
                                          0.033461075523841935,   -0.003076541477344756, 0.00017471193164549074,
                                          -6.1037116822741705e-6, 1.218032765428652e-7,  -1.0860761027932903e-9};
FLOWGRAPH_TABLE double expint_1_under[] = {
    1, -52.505479591128626, 1259.6161867867906, -17565.495819735348, 149306.2117002726, -729494.9239640528, 1592627.1633849454};
FLOWGRAPH_TABLE double expint_2_under[] = {1,
                                           1.4764986709149215,
                                           0.5629177174822436,
                                           0.16990178978793072,
                                           0.02291647179034212,
                                           0.0044501504397287525,
                                           0.00017274396122065214,
                                           3.953167195549672e-5};
FLOWGRAPH_TABLE double expint_3_under[] = {1,
                                           0.8585231423622028,
                                           0.4483285822873995,
                                           0.07687932158124476,
                                           0.024498682410218877,
                                           0.0008832165941927797,
                                           0.00045909522995113536,
                                           -4.729848351866523e-6,
                                           2.66519553739071e-6};
FLOWGRAPH_TABLE double expint_4_under[] = {1,
                                           -0.2298062239901678,
                                           0.11050770414740378,
                                           -0.015665429666307924,
                                           0.002761106850817353,
                                           -0.00020891480122840484,
                                           1.7085289388076754e-5,
                                           -4.4593117963566865e-7,
                                           1.3946349303538475e-8,
                                           6.150865933977338e-10};
FLOWGRAPH_TABLE double expint_5_under[] = {1,
                                           -0.10442259084438711,
                                           -0.26764531281014026,
                                           0.09695000254621984,
                                           -0.01601745692712991,
                                           0.001496414899205908,
                                           -8.462452563778485e-5,
                                           2.7289384034767266e-6,
                                           -4.239462431819542e-8};
FLOWGRAPH_TABLE double expint_6_under[] = {
    1, -1.002252150365854, 0.2928709694872224, -0.03337004338674008, 0.0015605448811273888, -2.5231370936032347e-5};
FLOWGRAPH_TABLE double expint_7_under[] = {1,
                                           -1.8888028686623086,
                                           1.066691687211409,
                                           -0.27519159823063805,
                                           0.039308526882338234,
                                           -0.003414684558602365,
                                           0.00018668443707035555,
                                           -6.345146083130515e-6,
                                           1.239754287483207e-7,
                                           -1.0860761027931265e-9};
FLOWGRAPH_TABLE double fresnel_cos_over[] = {-4.9884311457357354e-8, 9.504280628298596e-6, -0.0006451914356839651,
                                             0.018884331939670384,   -0.20552590095501388, 1};
FLOWGRAPH_TABLE double fresnel_cos_under[] = {3.99982968972496e-12,
                                              9.154392157746574e-10,
                                              1.2500186247959882e-7,
                                              1.2226278902417902e-5,
                                              0.0008680295429417843,
                                              0.04121420907221998,
                                              1};
FLOWGRAPH_TABLE double fresnel_sin_over[] = {-2991.8191940101983, 708840.0452577386,  -62974148.62058625,
                                             2548908805.7337637,  -44297951805.96978, 318016297876.5678};
FLOWGRAPH_TABLE double fresnel_sin_under[] = {
    1, 281.3762688899943, 45584.78108065326, 5173438.887700964, 419320245.8981112, 22441179564.534092, 607366389490.0846};
FLOWGRAPH_TABLE double fresnel_f_over[] = {
    0.4215435550436775,   0.1434079197807589,     0.011522095507358577,   0.000345017939782574,   4.6361374928786735e-6,
    3.055689837902576e-8, 1.0230451416490724e-10, 1.7201074326816183e-13, 1.3428327623306275e-16, 3.763297112699879e-20};
FLOWGRAPH_TABLE double fresnel_f_under[] = {1,
                                            0.7515863983533789,
                                            0.11688892585919138,
                                            0.0064405152650885865,
                                            0.00015593440916415301,
                                            1.8462756734893055e-6,
                                            1.1269922476399903e-8,
                                            3.6014002958937136e-11,
                                            5.887545336215784e-14,
                                            4.5200143407412973e-17,
                                            1.2544323709001127e-20};
FLOWGRAPH_TABLE double fresnel_g_over[] = {0.5044420736433832,     0.1971028335255234,     0.018764858409257526,
                                           0.0006840793809153931,  1.1513882611188428e-5,  9.828524436884223e-8,
                                           4.4534441586175015e-10, 1.0826804113902088e-12, 1.375554606332618e-15,
                                           8.363544356306774e-19,  1.8695871016278324e-22};
FLOWGRAPH_TABLE double fresnel_g_under[] = {1,
                                            1.4749575992512833,
                                            0.33774898912002,
                                            0.02536037414203388,
                                            0.0008146791071843061,
                                            1.2754507566772912e-5,
                                            1.0431458965757199e-7,
                                            4.6068072814652043e-10,
                                            1.1027321506624028e-12,
                                            1.3879653125957886e-15,
                                            8.391588162831187e-19,
                                            1.8695871016278324e-22};
FLOWGRAPH_TABLE double spence_over[] = {4.6512858607399003e-5, 0.007315890452380947, 0.13384763957830903, 0.8796913117545303,
                                        2.7114985119655346,    4.256971560081218,    3.297713409852251,   1};
FLOWGRAPH_TABLE double spence_under[] = {0.0006909904889125533, 0.02540437639325444, 0.2829748606025681, 1.4117259775183106,
                                         3.6380053334513707,    5.03278880143317,    3.547713409852251,  1};

template <class T> FLOWGRAPH_FUNCTION T dawson(T x) {
  if (x < T(3.25)) return x * polynomial(x * x, dawson_1_over) / polynomial(x * x, dawson_1_under);
  const T r = 1 / x, s = r * r;
  const T z = x < T(6.25) ? quotient(s, dawson_2_over, dawson_2_under) : quotient(s, dawson_3_over, dawson_3_under);
  return T(0.5) * (s * (z / x) + r);
}

// x exp(-x) Ei(x) - 1 = f(1 / x) / x beyond 2.
template <class T> FLOWGRAPH_FUNCTION T expint(T x) {
  constexpr double euler = 0.57721566490153286061;
  if (x < 0) return functions<T>::undefined;
  if (x < 2) return x * quotient(x, expint_1_over, expint_1_under) + T(euler) + functions<T>::log(x);
  const T w = 1 / x;
  const T f = x < 4    ? quotient(w, expint_2_over, expint_2_under)
              : x < 8  ? quotient(w, expint_3_over, expint_3_under)
              : x < 16 ? quotient(w, expint_4_over, expint_4_under)
              : x < 32 ? quotient(w, expint_5_over, expint_5_under)
              : x < 64 ? quotient(w, expint_6_over, expint_6_under)
                       : quotient(w, expint_7_over, expint_7_under);
  return functions<T>::exp(x) * w * (w * f + 1);
}

// Precondition: x^2 >= 2.5625. Returns the cosine or the sine part: half a turn of a spiral around 1/2.
template <class T> FLOWGRAPH_FUNCTION T fresnel_spiral(T x, bool sine) {
  constexpr double pi = 3.14159265358979323846;
  const T square = x * x, t = 1 / (T(pi) * square), u = t * t;
  const T f = 1 - u * quotient(u, fresnel_f_over, fresnel_f_under), g = t * quotient(u, fresnel_g_over, fresnel_g_under);
  const T angle = T(pi / 2) * square, c = functions<T>::cos(angle), s = functions<T>::sin(angle), scale = 1 / (T(pi) * x);
  return T(0.5) + (sine ? -(f * c + g * s) : f * s - g * c) * scale;
}
template <class T> FLOWGRAPH_FUNCTION T fresnel(T x, bool sine) {
  constexpr double far = 36974, near = 2.5625;
  const T y = functions<T>::abs(x), square = x * x, fourth = square * square;
  const T result = y > T(far)            ? T(0.5)
                   : !(square < T(near)) ? fresnel_spiral(y, sine)
                   : sine                ? y * square * quotient(fourth, fresnel_sin_over, fresnel_sin_under)
                                         : y * quotient(fourth, fresnel_cos_over, fresnel_cos_under);
  return x < 0 ? -result : result;
}

template <class T> FLOWGRAPH_FUNCTION T spence(T x) {
  constexpr double sixth = 1.64493406684822643647;  // pi^2 / 6
  if (x < 0) return functions<T>::undefined;
  if (x == 0) return T(sixth);
  if (x == 1) return 0;
  const T y = x < 2 ? x : 1 / x;
  const T w = T(1.5) < y ? 1 / y - 1 : y < T(0.5) ? -y : y - 1;
  const T z = functions<T>::log(y);
  T sum = -w * quotient(w, spence_over, spence_under);
  if (y < T(0.5)) sum = -z * functions<T>::log1p(-y) + T(sixth) - sum;
  return T(1.5) < x ? T(-0.5) * z * z - sum : sum;
}

}  // namespace integral_functions

// Dawson's integral, for numbers beyond 1e9 as in TensorFlow.
struct dawsn {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_FUNCTION static P packet(P x) {
    const P y = functions<P>::abs(x), result = y < P(1e9) ? integral_functions::dawson(y) : P(0.5) / x;
    return x < 0 ? -result : result;
  }
};
struct expint {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_FUNCTION static P packet(P x) { return integral_functions::expint(x); }
};
struct fresnel_cos {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_FUNCTION static P packet(P x) { return integral_functions::fresnel(x, false); }
};
struct fresnel_sin {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_FUNCTION static P packet(P x) { return integral_functions::fresnel(x, true); }
};
struct spence {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_FUNCTION static P packet(P x) { return integral_functions::spence(x); }
};

}  // namespace flowgraph::functor

#include <flowgraph/show_names.hpp>
