/** Resolves on the first signal to stop; SIGHUP means to read the configuration again. */
export async function untilStopped(reload: () => Promise<void>): Promise<void> {
  process.on('SIGHUP', () => void reload().catch(() => undefined))
  await new Promise<void>((resolve) => {
    process.once('SIGINT', () => resolve())
    process.once('SIGTERM', () => resolve())
  })
}
