#pragma once
// Bessel functions by the Chebyshev series and rational approximations of the Cephes library (Moshier). Floats are computed as
// doubles: their own approximations would double the code.

#include <flowgraph/functors/numbers.hpp>
#include <flowgraph/functors/polynomial.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::functor {

namespace bessel_functions {

using f = functions<double>;

// Series in Chebyshev polynomials: `near` for small arguments, `far` in a reciprocal of large ones.
FLOWGRAPH_TABLE double i0_near[] = {
    -4.4153416464793395e-18, 3.3307945188222384e-17, -2.431279846547955e-16, 1.715391285555133e-15,  -1.1685332877993451e-14,
    7.676185498604936e-14,   -4.856446783111929e-13, 2.95505266312964e-12,   -1.726826291441556e-11, 9.675809035373237e-11,
    -5.189795601635263e-10,  2.6598237246823866e-9,  -1.300025009986248e-8,  6.046995022541919e-8,   -2.670793853940612e-7,
    1.1173875391201037e-6,   -4.4167383584587505e-6, 1.6448448070728896e-5,  -5.754195010082104e-5,  0.00018850288509584165,
    -0.0005763755745385824,  0.0016394756169413357,  -0.004324309995050576,  0.010546460394594998,   -0.02373741480589947,
    0.04930528423967071,     -0.09490109704804764,   0.17162090152220877,    -0.3046826723431984,    0.6767952744094761};
FLOWGRAPH_TABLE double i0_far[] = {
    -7.233180487874754e-18,  -4.830504485944182e-18, 4.46562142029676e-17,   3.461222867697461e-17,   -2.8276239805165836e-16,
    -3.425485619677219e-16,  1.7725601330565263e-15, 3.8116806693526224e-15, -9.554846698828307e-15,  -4.150569347287222e-14,
    1.54008621752141e-14,    3.8527783827421426e-13, 7.180124451383666e-13,  -1.7941785315068062e-12, -1.3215811840447713e-11,
    -3.1499165279632416e-11, 1.1889147107846439e-11, 4.94060238822497e-10,   3.3962320257083865e-9,   2.266668990498178e-8,
    2.0489185894690638e-7,   2.8913705208347567e-6,  6.889758346916825e-5,   0.0033691164782556943,   0.8044904110141088};
FLOWGRAPH_TABLE double i1_near[] = {
    2.7779141127610464e-18, -2.111421214358166e-17, 1.5536319577362005e-16,  -1.1055969477353862e-15, 7.600684294735408e-15,
    -5.042185504727912e-14, 3.223793365945575e-13,  -1.9839743977649436e-12, 1.1736186298890901e-11,  -6.663489723502027e-11,
    3.625590281552117e-10,  -1.8872497517228294e-9, 9.381537386495773e-9,    -4.445059128796328e-8,   2.0032947535521353e-7,
    -8.568720264695455e-7,  3.4702513081376785e-6,  -1.3273163656039436e-5,  4.781565107550054e-5,    -0.00016176081582589674,
    0.0005122859561685758,  -0.0015135724506312532, 0.004156422944312888,    -0.010564084894626197,   0.024726449030626516,
    -0.05294598120809499,   0.1026436586898471,     -0.17641651835783406,    0.25258718644363365};
FLOWGRAPH_TABLE double i1_far[] = {
    7.517296310842105e-18,   4.414348323071708e-18,   -4.6503053684893586e-17, -3.209525921993424e-17, 2.96262899764595e-16,
    3.3082023109209285e-16,  -1.8803547755107825e-15, -3.8144030724370075e-15, 1.0420276984128802e-14, 4.272440016711951e-14,
    -2.1015418427726643e-14, -4.0835511110921974e-13, -7.198551776245908e-13,  2.0356285441470896e-12, 1.4125807436613782e-11,
    3.2526035830154884e-11,  -1.8974958123505413e-11, -5.589743462196584e-10,  -3.835380385964237e-9,  -2.6314688468895196e-8,
    -2.512236237870209e-7,   -3.882564808877691e-6,   -0.00011058893876262371, -0.009761097491361469,  0.7785762350182801};
FLOWGRAPH_TABLE double k0_near[] = {1.374465435613523e-16, 4.25981614279661e-14, 1.0349695257633842e-11, 1.904516377220209e-9,
                                    2.5347910790261494e-7, 2.286212103119452e-5, 0.001264615411446926,   0.0359799365153615,
                                    0.3442898999246285,    -0.5353273932339028};
FLOWGRAPH_TABLE double k0_far[] = {
    5.300433772686263e-18,  -1.6475804301524212e-17, 5.2103915050390274e-17,  -1.678231096805412e-16, 5.512055978524319e-16,
    -1.848593377343779e-15, 6.3400764774050706e-15,  -2.2275133269916698e-14, 8.032890775363575e-14,  -2.9800969231727303e-13,
    1.140340588208475e-12,  -4.514597883373944e-12,  1.8559491149547177e-11,  -7.957489244477107e-11, 3.577397281400301e-10,
    -1.69753450938906e-9,   8.574034017414225e-9,    -4.660489897687948e-8,   2.766813639445015e-7,   -1.8317555227191195e-6,
    1.39498137188765e-5,    -0.00012849549581627802, 0.0015698838857300533,   -0.0314481013119645,    2.4403030820659555};
FLOWGRAPH_TABLE double k1_near[] = {-7.023863479386288e-18,  -2.427449850519366e-15, -6.666901694199329e-13,
                                    -1.4114883926335278e-10, -2.213387630734726e-8,  -2.4334061415659684e-6,
                                    -0.0001730288957513052,  -0.006975723859639864,  -0.12261118082265715,
                                    -0.3531559607765449,     1.5253002273389478};
FLOWGRAPH_TABLE double k1_far[] = {
    -5.756744483665017e-18,  1.7940508731475592e-17, -5.689462558442859e-17,  1.838093544366639e-16,  -6.057047248373319e-16,
    2.038703165624334e-15,   -7.019837090418314e-15, 2.4771544244813043e-14,  -8.976705182324994e-14, 3.3484196660784293e-13,
    -1.2891739609510289e-12, 5.13963967348173e-12,   -2.1299678384275683e-11, 9.218315187605006e-11,  -4.1903547593418965e-10,
    2.015049755197033e-9,    -1.0345762465678097e-8, 5.7410841254500495e-8,   -3.5019606030878126e-7, 2.406484947837217e-6,
    -1.936197974166083e-5,   0.00019521551847135162, -0.002857816859622779,   0.10392373657681724,    2.7206261904844427};

// Quotients of polynomials: p and q of the asymptotic forms, and of the functions themselves for small arguments.
FLOWGRAPH_TABLE double p0_over[] = {
    0.0007969367292973471, 0.08283523921074408, 1.239533716464143, 5.447250030587687, 8.74716500199817, 5.303240382353949, 1.0};
FLOWGRAPH_TABLE double p0_under[] = {
    0.0009244088105588637, 0.08562884743544745, 1.2535274390105895, 5.470977403304171, 8.761908832370695, 5.306052882353947, 1.0};
FLOWGRAPH_TABLE double q0_over[] = {-0.011366383889846916, -1.2825271867050931, -19.553954425773597, -93.20601521237683,
                                    -177.68116798048806,   -147.07750515495118, -51.41053267665993,  -6.050143506007285};
FLOWGRAPH_TABLE double q0_under[] = {1.0,
                                     64.3178256118178,
                                     856.4300259769806,
                                     3882.4018360540163,
                                     7240.467741956525,
                                     5930.727011873169,
                                     2062.0933166032783,
                                     242.0057402402914};
FLOWGRAPH_TABLE double j0_over[] = {-4794432209.782018, 1956174919465.5657, -249248344360967.72, 9708622510473064.0};
FLOWGRAPH_TABLE double j0_under[] = {1.0,
                                     499.563147152651,
                                     173785.4016763747,
                                     48440965.83399621,
                                     11185553704.535683,
                                     2112775201154.892,
                                     310518229857422.56,
                                     3.1812195594320496e16,
                                     1.7108629408104315e18};
FLOWGRAPH_TABLE double y0_over[] = {15592.436785523574, -14663929.59039716,  5435264770.518765,     -982136065717.9115,
                                    87590639439536.7,   -3466283033847297.0, 4.4273326857256984e16, -1.8495080043698668e16};
FLOWGRAPH_TABLE double y0_under[] = {1.0,
                                     1041.2835366425984,
                                     626107.330137135,
                                     268919633.39381415,
                                     86400248710.3935,
                                     20297961275010.555,
                                     3171577528429750.5,
                                     2.5059625617265306e17};
FLOWGRAPH_TABLE double p1_over[] = {
    0.0007621256162081731, 0.07313970569409176, 1.1271960812968493, 5.112079511468076, 8.424045901417724, 5.214515986823615, 1.0};
FLOWGRAPH_TABLE double p1_under[] = {
    0.0005713231280725487, 0.06884559087544954, 1.105142326340617, 5.073863861286015, 8.399855543276042, 5.209828486823619, 1.0};
FLOWGRAPH_TABLE double q1_over[] = {0.05108625947501766, 4.982138729512334, 75.82382841325453,  366.7796093601508,
                                    710.8563049989261,   597.4896124006136, 211.68875710057213, 25.207020585802372};
FLOWGRAPH_TABLE double q1_under[] = {1.0,
                                     74.23732770356752,
                                     1056.4488603826283,
                                     4986.410583376536,
                                     9562.318924047562,
                                     7997.041604473507,
                                     2826.1927851763908,
                                     336.0936078106983};
FLOWGRAPH_TABLE double j1_over[] = {-899971225.7055594, 452228297998.19403, -72749424522181.83, 3682957328638529.0};
FLOWGRAPH_TABLE double j1_under[] = {1.0,
                                     620.8364781180543,
                                     256987.25675774884,
                                     83514679.14319493,
                                     22151159547.97925,
                                     4749141220799.914,
                                     784369607876235.9,
                                     8.952223361846274e16,
                                     5.322786203326801e18};
FLOWGRAPH_TABLE double y1_over[] = {1263204747.9017804,  -647355876379.1603,   114509511541823.73,
                                    -8127702555013251.0, 2.024394757135949e17, -7.788771962659501e17};
FLOWGRAPH_TABLE double y1_under[] = {1.0,
                                     594.3015923461282,
                                     235564.09294306856,
                                     73481194.44597217,
                                     18760131610.870617,
                                     3882312774962.3857,
                                     620557727146953.8,
                                     6.871410873553005e16,
                                     3.9727060811656064e18};

inline constexpr double quarter_pi = 0.7853981633974483096, two_over_pi = 0.636619772367581343;
inline constexpr double root_two_over_pi = 0.79788456080286535588;

template <unsigned N> FLOWGRAPH_FUNCTION double chebyshev(double x, const double (&coefficients)[N]) {
  double b0 = coefficients[0], b1 = 0, b2 = 0;
  for (unsigned i = 1; i < N; ++i) {
    b2 = b1;
    b1 = b0;
    b0 = x * b1 - b2 + coefficients[i];
  }
  return 0.5 * (b0 - b2);
}

// exp(-|x|) I(x)
FLOWGRAPH_FUNCTION inline double scaled_i0(double x) {
  const double y = f::abs(x);
  return y <= 8 ? chebyshev(0.5 * y - 2, i0_near) : chebyshev(32 / y - 2, i0_far) / f::sqrt(y);
}
FLOWGRAPH_FUNCTION inline double scaled_i1(double x) {
  const double y = f::abs(x);
  const double i = y <= 8 ? y * chebyshev(0.5 * y - 2, i1_near) : chebyshev(32 / y - 2, i1_far) / f::sqrt(y);
  return x < 0 ? -i : i;
}

FLOWGRAPH_FUNCTION inline double i0(double x) { return f::exp(f::abs(x)) * scaled_i0(x); }
FLOWGRAPH_FUNCTION inline double i1(double x) { return f::exp(f::abs(x)) * scaled_i1(x); }

// K(x), times exp(x) where `scaled`.
FLOWGRAPH_FUNCTION inline double k0(double x, bool scaled) {
  if (x <= 0) return f::infinity;
  if (x <= 2) {
    const double k = chebyshev(x * x - 2, k0_near) - f::log(0.5 * x) * i0(x);
    return scaled ? k * f::exp(x) : k;
  }
  const double k = chebyshev(8 / x - 2, k0_far) / f::sqrt(x);
  return scaled ? k : k * f::exp(-x);
}
FLOWGRAPH_FUNCTION inline double k1(double x, bool scaled) {
  if (x <= 0) return f::infinity;
  if (x <= 2) {
    const double k = chebyshev(x * x - 2, k1_near) / x + f::log(0.5 * x) * i1(x);
    return scaled ? k * f::exp(x) : k;
  }
  const double k = chebyshev(8 / x - 2, k1_far) / f::sqrt(x);
  return scaled ? k : k * f::exp(-x);
}

// For large x > 0: sqrt(2 / pi x) (p cos(t) - q sin(t)), of which J is the value at t = x - phase and Y at a quarter turn less.
struct wave {
  double p, q, t, amplitude;
  FLOWGRAPH_FUNCTION double j() const { return amplitude * (p * f::cos(t) - q * f::sin(t)); }
  FLOWGRAPH_FUNCTION double y() const { return amplitude * (p * f::sin(t) + q * f::cos(t)); }
};
FLOWGRAPH_FUNCTION inline wave wave_0(double x) {
  const double s = 25 / (x * x);
  return {quotient(s, p0_over, p0_under), 5 / x * quotient(s, q0_over, q0_under), x - quarter_pi, root_two_over_pi / f::sqrt(x)};
}
FLOWGRAPH_FUNCTION inline wave wave_1(double x) {
  const double s = 25 / (x * x);
  return {quotient(s, p1_over, p1_under), 5 / x * quotient(s, q1_over, q1_under), x - 3 * quarter_pi,
          root_two_over_pi / f::sqrt(x)};
}

FLOWGRAPH_FUNCTION inline double j0(double x) {
  constexpr double first_zero = 5.78318596294678452118, second_zero = 30.4712623436620863991;  // squares of them
  const double y = f::abs(x), z = y * y;
  if (!(y <= 5)) return wave_0(y).j();
  return y < 1e-5 ? 1 - z / 4 : (z - first_zero) * (z - second_zero) * quotient(z, j0_over, j0_under);
}
FLOWGRAPH_FUNCTION inline double j1(double x) {
  constexpr double first_zero = 14.6819706421238932572, second_zero = 49.2184563216946036703;
  const double y = f::abs(x), z = y * y;
  if (y <= 5) return quotient(z, j1_over, j1_under) * x * (z - first_zero) * (z - second_zero);
  const double j = wave_1(y).j();
  return x < 0 ? -j : j;
}
FLOWGRAPH_FUNCTION inline double y0(double x) {
  if (!(x <= 5)) return wave_0(x).y();
  return x <= 0 ? -f::infinity : quotient(x * x, y0_over, y0_under) + two_over_pi * f::log(x) * j0(x);
}
FLOWGRAPH_FUNCTION inline double y1(double x) {
  if (!(x <= 5)) return wave_1(x).y();
  return x <= 0 ? -f::infinity : quotient(x * x, y1_over, y1_under) * x + two_over_pi * (j1(x) * f::log(x) - 1 / x);
}

}  // namespace bessel_functions

struct bessel_i0 {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_FUNCTION static P packet(P x) { return static_cast<P>(bessel_functions::i0(x)); }
};
struct bessel_i0e {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_FUNCTION static P packet(P x) { return static_cast<P>(bessel_functions::scaled_i0(x)); }
};
struct bessel_i1 {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_FUNCTION static P packet(P x) { return static_cast<P>(bessel_functions::i1(x)); }
};
struct bessel_i1e {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_FUNCTION static P packet(P x) { return static_cast<P>(bessel_functions::scaled_i1(x)); }
};
struct bessel_j0 {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_FUNCTION static P packet(P x) { return static_cast<P>(bessel_functions::j0(x)); }
};
struct bessel_j1 {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_FUNCTION static P packet(P x) { return static_cast<P>(bessel_functions::j1(x)); }
};
struct bessel_k0 {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_FUNCTION static P packet(P x) { return static_cast<P>(bessel_functions::k0(x, false)); }
};
struct bessel_k0e {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_FUNCTION static P packet(P x) { return static_cast<P>(bessel_functions::k0(x, true)); }
};
struct bessel_k1 {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_FUNCTION static P packet(P x) { return static_cast<P>(bessel_functions::k1(x, false)); }
};
struct bessel_k1e {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_FUNCTION static P packet(P x) { return static_cast<P>(bessel_functions::k1(x, true)); }
};
struct bessel_y0 {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_FUNCTION static P packet(P x) { return static_cast<P>(bessel_functions::y0(x)); }
};
// TensorFlow's floats have NaN at 0, where its doubles have -infinity.
struct bessel_y1 {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_FUNCTION static P packet(P x) {
    return sizeof(P) == 4 && x == 0 ? functions<P>::undefined : static_cast<P>(bessel_functions::y1(x));
  }
};

}  // namespace flowgraph::functor
