// Measures what an agent gets from find_tools for the same wish in two wordings: as a person says it
// (`own`), and in the technical words of an agent (`agent`). `reworded` asks in the person's words, with
// one rewording in `also` by the rules of reword.ts, which stand in for a model that rephrases.
import { readFileSync } from 'node:fs'
import { isObject } from '../../src/base/json/json.ts'
import { parseApiConfig } from '../../src/upstreams/openapi/load/api-config.ts'
import { loadImportedApi } from '../../src/upstreams/openapi/load/load-imported-api.ts'
import { searchTools } from '../../src/surfaces/tool-search/search-tools.ts'
import type { Tool } from '../../src/gateway/upstream.ts'
import { boundedRequests } from '../../src/surfaces/discover/find-tools.ts'
import { specNamed } from '../apis/specs.ts'
import { openTools } from './measure-tools.ts'
import { reword } from './reword.ts'

const DATA = new URL('../data/wordings/', import.meta.url)

type Tools = Awaited<ReturnType<typeof openTools>>

interface Wish {
  readonly own: string
  readonly agent: string
  /** Any one of these is right; empty if no tool is. */
  readonly tools: readonly string[]
}

export interface WordingFigures {
  readonly of: number
  readonly first: number
  readonly three: number
  readonly five: number
  /** Answers without any tool. */
  readonly empty: number
  /** Of the wishes that no tool serves, how many got nothing, or only tools marked as weak. */
  readonly refused: string
}

/** The tools of five large public APIs, as the gateway imports them. */
const APIS = ['stripe', 'github', 'kubernetes', 'asana', 'twilio']

export async function apiTools(): Promise<Map<string, readonly Tool[]>> {
  const found = new Map<string, readonly Tool[]>()
  for (const name of APIS) {
    const config = parseApiConfig({
      openapi: specNamed(name).file,
      baseUrl: 'http://127.0.0.1:1',
      allowPrivate: true,
    })
    const { tools } = await loadImportedApi(config, { home: undefined })
    found.set(
      name,
      tools.map(({ definition, plan }) => ({
        server: name,
        name: definition.name,
        definition,
        readOnly: plan.readOnly,
      })),
    )
  }
  return found
}

const WORDINGS = ['own', 'agent', 'reworded'] as const

/**
 * Measures a set in all wordings. The half `development` was looked at one by one while the ranking
 * was changed; of the half `apart`, only the totals and only afterwards.
 */
export async function measureHalves(
  name: 'tools' | 'apis',
  tools: ReadonlyMap<string, readonly Tool[]>,
) {
  const opened = new Map(
    await Promise.all([...tools].map(async ([key, own]) => [key, await openTools(own)] as const)),
  )
  const figures: Record<string, Record<string, WordingFigures>> = {}
  for (const half of ['development', 'apart']) {
    const wishes: Wish[] = JSON.parse(readFileSync(new URL(`${name}-${half}.json`, DATA), 'utf8'))
    const measured: Record<string, WordingFigures> = {}
    for (const wording of WORDINGS) measured[wording] = await measureWishes(opened, wishes, wording)
    figures[half] = measured
  }
  return figures
}

/** Asks each wish of the tools of the server that it is about, or of all. */
async function measureWishes(
  opened: ReadonlyMap<string, Tools>,
  wishes: readonly Wish[],
  wording: (typeof WORDINGS)[number],
): Promise<WordingFigures> {
  const places: number[] = []
  let empty = 0
  let refused = 0
  for (const wish of wishes) {
    const about = wish.tools[0]?.split('.')[0] ?? ''
    const index = opened.get(about) ?? opened.get('all')
    if (!index) throw new Error(`No tools for ${wish.own}`)
    const asked = wording === 'agent' ? wish.agent : wish.own
    const also = wording === 'reworded' ? [reword(asked)] : []
    const { requests, wordings } = boundedRequests(asked, also)
    const meanings = await index.near(requests)
    const answer = searchTools(index.index, { requests, wordings, meanings, permits: () => true })
    const given = Array.isArray(answer['tools']) ? answer['tools'].filter(isObject) : []
    const names = given.map(({ server, call }) => `${String(server)}.${String(call).split('(')[0]}`)
    if (wish.tools.length === 0) {
      if (given.every((tool) => tool['weak'] === true)) refused += 1
      continue
    }
    if (names.length === 0) empty += 1
    places.push(names.findIndex((found) => wish.tools.includes(found)))
  }
  const within = (limit: number) => places.filter((place) => place >= 0 && place < limit).length
  return {
    of: places.length,
    first: within(1),
    three: within(3),
    five: within(5),
    empty,
    refused: `${refused} of ${wishes.length - places.length}`,
  }
}
