#pragma once
// Every standard op: what the umbrella includes, and the list that registries and tests take.

