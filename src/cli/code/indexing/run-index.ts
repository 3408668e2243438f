import { resolve } from 'node:path'
import { isObject } from '../../../base/json/json.ts'
import { printJson } from '../../shared/terminal/print-json.ts'
import { noteOnServing } from '../../shared/note-on-serving.ts'
import { openCodeSession } from '../session/code-session.ts'
import { createPaint } from '../../shared/terminal/paint.ts'
import { createProgressBar } from '../../shared/terminal/progress-bar.ts'
import { renderNote } from '../render.ts'

export interface IndexFlags {
  readonly name?: string
  readonly include?: readonly string[]
  readonly exclude?: readonly string[]
  readonly gitignore: boolean
  readonly fresh?: boolean
  readonly parse: boolean
  readonly json?: boolean
}

/**
 * Indexes a folder with a progress bar, then parses its symbols. ^C stops and leaves the old index
 * unchanged.
 */
export async function runIndex(path: string, flags: IndexFlags): Promise<boolean> {
  const begun = performance.now()
  const indexing = createProgressBar('Indexing')
  const parsing = createProgressBar('Parsing ')
  const session = await openCodeSession({
    progress: ({ progress, total, message = '' }) =>
      (message.startsWith('Parsed') ? parsing : indexing).update(progress, total),
  })
  try {
    const answer = await session
      .index({
        path: resolve(path),
        index_name: flags.name ?? null,
        include_patterns: flags.include,
        exclude_patterns: flags.exclude,
        no_gitignore: !flags.gitignore,
        fresh: flags.fresh,
        parse: flags.parse,
      })
      .finally(indexing.end)
    const seconds = (performance.now() - begun) / 1_000
    const isOk = isObject(answer) && answer['success'] === true
    if (flags.json) printJson(answer)
    else if (isOk) process.stdout.write(render(answer, seconds))
    else process.stderr.write(`${renderNote(Object(answer), createPaint(process.stderr))}\n`)
    const note = isOk ? await noteOnServing('code') : undefined
    if (note !== undefined) process.stderr.write(`${note}\n`)
    return isOk
  } finally {
    await session.close()
  }
}

function render(answer: Record<string, unknown>, seconds: number): string {
  const paint = createPaint()
  const name = String(answer['index_name'])
  const { files_added, files_updated, files_removed } = Object(answer['stats'])
  const changes = `${files_added} added, ${files_updated} updated, ${files_removed} removed`
  const { total: leftOut } = Object(answer['excluded'])
  return (
    `${paint('green', '✔')} ${paint('bold', name)}: ${String(answer['total_files'])} files (${changes}), ${leftOut} left out, in ${seconds.toFixed(2)} s\n` +
    `${paint('gray', `Why files are left out: portolan code stats ${name} --show-failures`)}\n`
  )
}
