/** Settings about what a process has once, whichever folders it serves; read when it starts. */
const OF_PROCESS = [
  'home',
  'auth.server',
  'auth.provider',
  'cache.staleMs',
  'audit.path',
  'audit.maxBytes',
  'audit.maxFiles',
  'audit.export',
  'telemetry',
  'database',
]

/** Settings and sections that are read only when the gateway starts. */
const READ_AT_START = [
  ...OF_PROCESS,
  'listen.transport',
  'listen.host',
  'listen.port',
  'listen.publicUrl',
  'listen.path',
  'listen.allowedHosts',
  'listen.allowedOrigins',
  'listen.maxBodyBytes',
  'watchdog',
]

/** Whether a changed setting, by its path, waits for the next start of the gateway. */
export function isReadAtStart(path: string): boolean {
  return isIn(READ_AT_START, path)
}

/** Whether a setting, by its path, must be the same in all folders that a process serves. */
export function isOfProcess(path: string): boolean {
  return isIn(OF_PROCESS, path)
}

function isIn(paths: readonly string[], path: string): boolean {
  return paths.some((known) => path === known || path.startsWith(`${known}.`))
}
