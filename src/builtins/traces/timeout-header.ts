/** By which the tools tell the service how many milliseconds they wait: it leaves out what takes longer. */
export const TIMEOUT_HEADER = 'X-Timeout-Ms'
