/**
 * Resolves on the first signal to stop; a second one ends the process at once. SIGHUP reloads the
 * configuration.
 */
export async function untilStopped(reload: () => Promise<void>): Promise<void> {
  process.on('SIGHUP', () => void reload().catch(() => undefined))
  let stopping = false
  await new Promise<void>((resolve) => {
    const stop = (exitCode: number) => {
      if (stopping) process.exit(exitCode)
      stopping = true
      resolve()
    }
    process.on('SIGINT', () => stop(130))
    process.on('SIGTERM', () => stop(143))
  })
}
