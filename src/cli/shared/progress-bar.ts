const WIDTH = 28
const EVERY_MS = 80

export interface ProgressBar {
  readonly update: (done: number, total?: number) => void
  readonly end: () => void
}

/** One line on stderr that fills up; nothing at all where stderr is not a terminal. */
export function createProgressBar(
  label: string,
  stream: NodeJS.WriteStream = process.stderr,
): ProgressBar {
  let drawnAt = 0
  if (!stream.isTTY) return { update: () => undefined, end: () => undefined }
  return {
    update(done, total) {
      const now = performance.now()
      if (now - drawnAt < EVERY_MS && done !== total) return
      drawnAt = now
      stream.write(`\r\u001B[K${label} ${drawBar(done, total)}`)
    },
    end: () => void stream.write('\r\u001B[K'),
  }
}

export function drawBar(done: number, total?: number): string {
  if (total === undefined || total === 0) return `${done} files`
  const filled = Math.round((WIDTH * Math.min(done, total)) / total)
  return `${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)} ${done}/${total}`
}
