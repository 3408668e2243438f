import { visible } from '../../../base/text/visible.ts'
import { drawingOn } from './guard-terminal.ts'

const WIDTH = 28
const EVERY_MS = 80

export interface ProgressBar {
  /** `waitingFor` names what is not done yet; the first two are shown. */
  readonly update: (done: number, total?: number, waitingFor?: readonly string[]) => void
  readonly end: () => void
}

/** A progress bar on one line of stderr; draws nothing if stderr is not a terminal. */
export function createProgressBar(label: string): ProgressBar {
  const stream = drawingOn(process.stderr)
  let drawnAt = 0
  if (!stream.isTTY) return { update: () => undefined, end: () => undefined }
  return {
    update(done, total, waitingFor = []) {
      const now = performance.now()
      if (now - drawnAt < EVERY_MS && done !== total && waitingFor.length === 0) return
      drawnAt = now
      stream.write(`\r\u001B[K${label} ${drawBar(done, total)}${drawWaiting(waitingFor)}`)
    },
    end: () => void stream.write('\r\u001B[K'),
  }
}

function drawWaiting(names: readonly string[]): string {
  if (names.length === 0) return ''
  const more = names.length > 2 ? ` and ${names.length - 2} more` : ''
  return ` waiting for ${visible(names.slice(0, 2).join(', '))}${more}`
}

function drawBar(done: number, total?: number): string {
  if (total === undefined || total === 0) return `${done} files`
  const filled = Math.round((WIDTH * Math.min(done, total)) / total)
  return `${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)} ${Math.floor(done)}/${total}`
}
