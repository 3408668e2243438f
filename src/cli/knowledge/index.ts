import type { Command, OptionValues } from '@commander-js/extra-typings'
import type { KnowledgeCommands } from '../../builtins/knowledge/knowledge-commands.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { registerIngest } from '../ingest/index.ts'
import { numberBetween } from '../shared/terminal/option-values.ts'
import { count } from '../shared/terminal/terminal.ts'
import { registerMcp } from '../shared/serve/mcp-command.ts'
import { printJson } from '../shared/terminal/print-json.ts'

/** People read all of what they asked for. */
const WHOLE = 1_000_000

/** `portolan knowledge …`: the knowledge base for people, scripts and sub-agents. */
export function registerKnowledge(program: Command): void {
  const knowledge = program
    .command('knowledge')
    .description('search and maintain the knowledge base')

  // Also a command of its own, as people look for it in both places.
  registerIngest(knowledge)
  withFlags(knowledge.command('search'))
    .description('search by words and meaning, with citations')
    .argument('<query...>')
    .option('-l, --limit <n>', 'how many', numberBetween(1, 50), 5)
    .option('--type <type>', 'only documents of this type')
    .option('--normative', 'only normative passages')
    .option('--clause <clause>', 'only this clause and its subclauses')
    .action(async (query, flags) => {
      const answer = await callTool('knowledge_search', {
        query: query.join(' '),
        n_results: flags.limit,
        max_tokens: WHOLE,
        ...(flags.collection && { collection: flags.collection }),
        ...(flags.type && { document_type: flags.type }),
        ...(flags.normative && { normative_only: true }),
        ...(flags.clause && { clause: flags.clause }),
      })
      if (flags.json) return printJson(answer)
      const { renderResults } = await import('./render.ts')
      process.stdout.write(renderResults(answer))
    })

  withFlags(knowledge.command('sources'))
    .description('list the documents, and why any of them failed')
    .option('--status <status>', 'pending, ingesting, complete or failed')
    .action(async (flags) => {
      const answer = await callTool('knowledge_sources', {
        limit: 1000,
        ...(flags.collection && { collection: flags.collection }),
        ...(flags.status && { status: flags.status }),
      })
      if (flags.json) return printJson(answer)
      const { renderSources } = await import('./render.ts')
      process.stdout.write(renderSources(answer))
    })

  withFlags(knowledge.command('stats'))
    .description('count documents, passages and tokens')
    .action(async (flags) => printJson(await callTool('knowledge_stats', collectionOf(flags))))

  withFlags(knowledge.command('verify'))
    .description('read everything back and compare; exits with 1 if something is wrong')
    .option('--embeddings', 'also verify vectors')
    .action(async (flags) => {
      const found = await withKnowledge(async (commands) => commands.verify(flags))
      if (flags.json) printJson({ ...found })
      else for (const problem of found.problems) process.stdout.write(`${problem}\n`)
      process.stderr.write(
        `${count(found.documents, 'document')}, ${count(found.chunks, 'passage')}, ${count(found.problems.length, 'problem')}\n`,
      )
      if (found.problems.length > 0) process.exitCode = 1
    })

  withFlags(knowledge.command('eval'))
    .description(
      'ask the questions of a golden set and score the answers; exits with 1 below --min-recall',
    )
    .argument('<yaml>', 'a file with queries, documents and clauses')
    .option('--min-recall <share>', 'required recall', Number, 0.8)
    .action(async (file, flags) => {
      const { readFile } = await import('node:fs/promises')
      const golden = await readFile(file, 'utf8')
      const { outcomes, ...report } = await withKnowledge(async (commands) =>
        commands.evaluate(golden, collectionOf(flags)),
      )
      for (const { query, rank, found } of outcomes.filter(
        ({ rank: at }) => (at ?? Infinity) > report.topK,
      )) {
        process.stderr.write(
          `missed (${rank ?? 'not found'}): ${query}\n  got ${found.join('; ')}\n`,
        )
      }
      printJson(flags.json ? { ...report, outcomes } : report)
      if (report.recall < flags.minRecall) process.exitCode = 1
    })

  registerMcp(knowledge, 'knowledge')
}

function withFlags<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  return command
    .option('-c, --collection <name>', 'only this collection')
    .option('--json', 'print JSON')
}

function collectionOf({ collection }: { collection?: string }) {
  return collection === undefined ? {} : { collection }
}

async function withKnowledge<Value>(
  work: (knowledge: KnowledgeCommands) => Promise<Value>,
): Promise<Value> {
  const { openKnowledge } = await import('../shared/open-knowledge.ts')
  const knowledge = await openKnowledge()
  try {
    return await work(knowledge)
  } finally {
    await knowledge.close()
  }
}

async function callTool(name: string, args: JsonObject): Promise<JsonObject> {
  return withKnowledge(async (knowledge) => knowledge.call(name, args))
}
