import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { isObject } from '../../../protocol/json-rpc.ts'
import { CodeLibrary } from '../../../servers/code/engine/code-library.ts'
import { portolanHome } from '../../../servers/code/engine/index-store.ts'
import { Embedders } from '../../../servers/code/project/embedders.ts'
import { projectAt } from '../../../servers/code/project/find-project.ts'
import { configOf, indexNameFor, settingsOf } from '../../../servers/code/tools/find-index.ts'
import { createPaint } from './paint.ts'
import { createProgressBar } from './progress-bar.ts'
import { renderValue } from './render.ts'
import { wrongUsage } from './wrong-usage.ts'

export interface IndexFlags {
  readonly name?: string
  readonly include?: readonly string[]
  readonly exclude?: readonly string[]
  readonly gitignore: boolean
  readonly fresh?: boolean
  readonly parse: boolean
  readonly json?: boolean
}

/** As below, on the server that `COCOSEARCH_SERVER_URL` names; how it indexes is its own affair. */
async function indexElsewhere(path: string, flags: IndexFlags): Promise<void> {
  const { openCodeSession } = await import('./code-session.ts')
  const bar = createProgressBar('Indexing')
  const session = await openCodeSession({
    progress: ({ progress, total }) => bar.update(progress, total),
  })
  try {
    const answer = await session
      .call('index_codebase', {
        path: resolve(path),
        ...(flags.name !== undefined && { index_name: flags.name }),
      })
      .finally(bar.end)
    const isOk = isObject(answer) && answer['success'] === true
    if (!isOk) process.exitCode = 1
    process.stdout.write(
      flags.json || !isOk
        ? `${JSON.stringify(answer, undefined, 2)}\n`
        : `${renderValue(answer, createPaint())}\n`,
    )
  } finally {
    await session.close()
  }
}

/** Indexes a folder with a bar on the terminal, then parses its symbols; ^C stops and leaves the old index as it was. */
export async function runIndex(path: string, flags: IndexFlags): Promise<void> {
  if (process.env['COCOSEARCH_SERVER_URL']) return indexElsewhere(path, flags)
  if (!statSync(resolve(path), { throwIfNoEntry: false })?.isDirectory())
    throw wrongUsage(`${resolve(path)} is not a folder`)
  const project = projectAt(resolve(path))
  const config = await configOf(project, { env: process.env })
  const name = flags.name ?? indexNameFor(project, config)
  const settings = settingsOf(config, {
    ...(flags.include && { include: flags.include }),
    ...(flags.exclude && { exclude: flags.exclude }),
    ...(!flags.gitignore && { gitignore: false }),
  })
  const library = new CodeLibrary()
  const cancel = new AbortController()
  process.once('SIGINT', () =>
    cancel.abort(new Error('Interrupted: the index on disk is as it was before')),
  )
  const started = performance.now()
  const bar = createProgressBar('Indexing')
  const { live, report } = await library
    .build(project, name, settings, {
      signal: cancel.signal,
      fresh: flags.fresh ?? false,
      progress: bar.update,
    })
    .finally(bar.end)
  const searchable = performance.now() - started
  if (flags.parse) {
    const parsing = createProgressBar('Parsing ')
    await live.parse({ signal: cancel.signal, progress: parsing.update }).finally(parsing.end)
    await live.save()
  }
  const embedders = new Embedders(process.env, portolanHome())
  const embedder = await embedders.for(config)
  if (embedder) await live.embed(embedder, cancel.signal).finally(async () => embedders.close())
  const { index } = live
  const answer = {
    success: true,
    index_name: name,
    path: project.root,
    stats: {
      files_added: report.added,
      files_updated: report.updated,
      files_removed: report.removed,
    },
    total_files: index.files.size,
    dep_stats: { total_edges: index.graph.edges.length },
    excluded: index.excludedCount,
    searchable_ms: Math.round(searchable),
    total_ms: Math.round(performance.now() - started),
  }
  await library.close()
  if (flags.json) {
    process.stdout.write(`${JSON.stringify(answer, undefined, 2)}\n`)
    return
  }
  const paint = createPaint()
  process.stdout.write(
    `${paint('green', '✔')} ${paint('bold', name)}: ${index.files.size} files (${report.added} added, ${report.updated} updated, ${report.removed} removed), ${index.excludedCount} left out, in ${(answer.total_ms / 1_000).toFixed(2)} s\n` +
      `${paint('gray', `Why files are left out: portolan code stats ${name} --show-failures`)}\n`,
  )
}
