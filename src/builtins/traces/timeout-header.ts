/** The header with the milliseconds that the tools wait; the service skips slower steps. */
export const TIMEOUT_HEADER = 'X-Timeout-Ms'
