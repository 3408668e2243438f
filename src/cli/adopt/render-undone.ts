import type { Terminal } from '../shared/terminal.ts'
import type { UndoneFile } from './undo-adopt.ts'

export function renderUndone(done: readonly UndoneFile[], { line, paint }: Terminal): void {
  if (done.length === 0) line('Nothing to undo: Portolan has changed no files here.')
  for (const one of done) {
    const isWhole = one.outcome === 'restored' || one.outcome === 'removed'
    line(`${isWhole ? paint('green', '✓') : paint('yellow', '⚠')} ${sentence(one)}`)
  }
}

function sentence({ file, outcome, backup, error }: UndoneFile): string {
  const copy = backup === undefined ? '' : ` The file as it was before Portolan: ${backup}`
  switch (outcome) {
    case 'restored':
      return `${file} is as it was before`
    case 'removed':
      return `${file} is gone: it did not exist before`
    case 'edited':
      return `${file} has been edited since: Portolan's changes are undone, the other edits stay.${copy}`
    case 'failed':
      return `${file} could not be restored: ${error}.${copy}`
  }
}
