/** Settings and sections that are read only when the gateway starts. */
const READ_AT_START = [
  'home',
  'listen.transport',
  'listen.host',
  'listen.port',
  'listen.publicUrl',
  'listen.path',
  'listen.allowedHosts',
  'listen.allowedOrigins',
  'listen.maxBodyBytes',
  'auth.server',
  'auth.provider',
  'cache.staleMs',
  'audit.path',
  'audit.maxBytes',
  'audit.maxFiles',
  'audit.export',
  'telemetry',
  'database',
  'watchdog',
]

/** Whether a changed setting, by its path, waits for the next start of the gateway. */
export function isReadAtStart(path: string): boolean {
  return READ_AT_START.some((known) => path === known || path.startsWith(`${known}.`))
}
