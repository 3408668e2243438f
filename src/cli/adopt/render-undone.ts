import type { Terminal } from '../shared/terminal/terminal.ts'
import type { UndoneFile } from './undo-adopt.ts'

export function renderUndone(done: readonly UndoneFile[], { line, paint }: Terminal): void {
  if (done.length === 0) line('Nothing to undo: Portolan has changed no files here.')
  for (const one of done) {
    const isWhole = one.outcome === 'restored' || one.outcome === 'removed'
    line(`${isWhole ? paint('green', '✓') : paint('yellow', '⚠')} ${SENTENCES[one.outcome](one)}`)
  }
}

const SENTENCES: Record<UndoneFile['outcome'], (one: UndoneFile) => string> = {
  restored: ({ file }) => `${file} is as it was before`,
  removed: ({ file }) => `${file} is gone: it did not exist before`,
  edited: ({ file, backup }) =>
    `${file} has been edited since: Portolan's changes are undone, the other edits stay.${copyAt(backup)}`,
  failed: ({ file, backup, error }) => `${file} could not be restored: ${error}.${copyAt(backup)}`,
}

function copyAt(backup: string | undefined): string {
  return backup === undefined ? '' : ` The file as it was before Portolan: ${backup}`
}
