/** The levels of log messages, the least severe first. */
const LOG_LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']

/** Returns why a log level is refused; undefined if it is one. */
export function levelProblem(level: unknown): string | undefined {
  if (typeof level === 'string' && LOG_LEVELS.includes(level)) return undefined
  return `The log level must be one of ${LOG_LEVELS.join(', ')}`
}

/**
 * Whether a notification is for a client that asked for `wanted`: several clients may share a
 * server, which knows only the level of one. A message of an unknown level is for every client.
 */
export function isWanted(method: string, level: unknown, wanted: string | undefined): boolean {
  if (method !== 'notifications/message' || wanted === undefined) return true
  const severity = LOG_LEVELS.indexOf(String(level))
  return severity === -1 || severity >= LOG_LEVELS.indexOf(wanted)
}
