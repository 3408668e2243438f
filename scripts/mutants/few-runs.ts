import { configureGlobal } from 'fast-check'

/** Property tests run once per mutant: few runs with one seed, so that two runs agree. */
configureGlobal({ numRuns: 15, seed: 7 })
