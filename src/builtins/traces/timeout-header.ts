/** The header that says how many milliseconds the tools wait: the service leaves out what takes longer. */
export const TIMEOUT_HEADER = 'X-Timeout-Ms'
