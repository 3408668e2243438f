/**
 * Runs the public cases of cache-tests (github.com/http-tests/cache-tests) through the cache for
 * APIs: an origin answers as each case says, and a built gateway calls it as an API of its own.
 * Cases for shared caches and CDNs are left out, as are those that a cache may ignore.
 *
 *   npm run bench -- http-caching --cases <a checkout of cache-tests> [--verbose]
 *
 * Cases are code, which runs here: name a checkout that you have read.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { type JsonObject, isObject } from '../src/base/json/json.ts'
import { Rig } from './attack/rig.ts'
import { Case } from './apis/cache-case.ts'
import { caseSuites } from './apis/cache-suites.ts'
import type { CaseResult } from './apis/cache-verdict.ts'

const { values: options } = parseArgs({
  options: { cases: { type: 'string' }, verbose: { type: 'boolean', default: false } },
})
if (options.cases === undefined) throw new Error('Name a checkout of cache-tests with --cases')
const index = pathToFileURL(resolve(options.cases, 'tests/index.mjs')).href
const loaded: unknown = await import(index)
const all = new Map(
  caseSuites
    .parse(loaded)
    .default.flatMap(({ tests }) => tests)
    .map((each) => [each.id, new Case(each)]),
)
const required = [...all.values()].filter(
  ({ about }) => about.kind === 'required' && !about.browser_skip && !about.cdn_only,
)
const cases = [...new Set(required.flatMap(withDependencies))]

const origin = createServer((request, response) => {
  const [, id = ''] = (request.url ?? '').split('/')
  all.get(id)?.answer(request, response)
})
await once(origin.listen(0, '127.0.0.1'), 'listening')
const address = origin.address()
if (address === null || typeof address === 'string') throw new Error('The origin has no port')
const url = `http://127.0.0.1:${address.port}`
const rig = await Rig.open({
  servers: Object.fromEntries(cases.map((each) => [each.id, each.entry(url)])),
  files: Object.fromEntries(cases.map((each) => [`${each.id}.json`, each.description()])),
})

const byId = new Map<string, CaseResult>()
const WORKERS = 40
const waiting = [...cases]
await Promise.all(
  Array.from({ length: WORKERS }, async () => {
    for (let next = waiting.pop(); next; next = waiting.pop())
      byId.set(next.id, await next.run({ call, pause: async () => sleep(3000) }))
  }),
)
await rig.discard()
origin.close()
origin.closeAllConnections()

const results = required.map(verdictOf)
const count = (verdict: CaseResult['verdict']) =>
  results.filter((each) => each.verdict === verdict).length
for (const { id, verdict, why } of results)
  if (verdict !== 'passed' && (options.verbose || verdict !== 'optional'))
    console.log(`${verdict.padEnd(14)} ${id}: ${why}`)
const notApplicable = count('not applicable')
console.log(
  `RESULT ${JSON.stringify({
    required: results.length,
    applicable: results.length - notApplicable,
    passed: count('passed'),
    dependsOnOptionalReuse: count('optional'),
    failed: count('failed'),
    reusedWrongly: count('reused wrongly'),
    notApplicable,
  })}`,
)
process.exit(0)

async function call(server: string, tool: string, args: JsonObject): Promise<JsonObject> {
  const { text } = await rig.request(
    'tools/call',
    { name: 'execute_tool', arguments: { server, tool, arguments: args } },
    { surface: 'discover' },
  )
  const json: unknown = JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1))
  return isObject(json) ? json : {}
}

/** A case that passes because nothing is reused shows nothing. */
function verdictOf({ id, about }: Case): CaseResult {
  const own = byId.get(id)
  if (!own) throw new Error(`${id} was not run`)
  const missing = about.depends_on.find((each) => byId.get(each)?.verdict !== 'passed')
  if (own.verdict !== 'passed' || missing === undefined) return own
  return { id, verdict: 'optional', why: `${missing} does not hold` }
}

function withDependencies(each: Case): Case[] {
  const needed = each.about.depends_on.flatMap((id) => all.get(id) ?? [])
  return [each, ...needed.flatMap(withDependencies)]
}
