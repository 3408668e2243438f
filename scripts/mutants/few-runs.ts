import { configureGlobal } from 'fast-check'

/** Property tests run for each mutant, so they use few runs, with a fixed seed to be repeatable. */
configureGlobal({ numRuns: 15, seed: 7 })
