import { PEOPLE, pick } from './sample-records.ts'

const REGIONS = ['north', 'south', 'east', 'west']
const ITEMS = ['lamp', 'chair', 'desk', 'shelf', 'rug']
const LEVELS = ['INFO', 'INFO', 'INFO', 'WARN', 'ERROR']
const PARTS = ['cart', 'search', 'login', 'mail']

export interface Order {
  readonly id: number
  readonly region: string
  readonly item: string
  readonly quantity: number
  readonly price: number
  readonly buyer: string
}

/** Orders of a shop, in one file per region. */
export const ORDERS: readonly Order[] = Array.from({ length: 120 }, (_, n) => ({
  id: n + 1,
  region: choose(REGIONS, `region${n}`),
  item: choose(ITEMS, `item${n}`),
  quantity: 1 + pick(`quantity${n}`, 9),
  price: 5 + pick(`price${n}`, 200),
  buyer: choose(PEOPLE, `buyer${n}`),
}))

export interface LogLine {
  readonly day: number
  readonly level: string
  readonly part: string
  readonly ms: number
}

/** The log of a service on ten days, in one file per day. */
export const LOG: readonly LogLine[] = Array.from({ length: 600 }, (_, n) => ({
  day: 10 + Math.floor(n / 60),
  level: choose(LEVELS, `level${n}`),
  part: choose(PARTS, `part${n}`),
  ms: pick(`ms${n}`, 900),
}))

/** The content of the memory server: people, projects, and who leads which. */
export const ENTITIES = [
  ...PEOPLE.map((name) => ({
    name,
    entityType: 'person',
    observations: [
      `works from ${choose(REGIONS, `home ${name}`)}`,
      `joined in ${2015 + pick(name, 10)}`,
    ],
  })),
  ...Array.from({ length: 24 }, (_, n) => ({
    name: `project-${n + 1}`,
    entityType: 'project',
    observations: [
      `budget ${1000 + pick(`budget${n}`, 90) * 100}`,
      `priority ${1 + pick(`priority${n}`, 3)}`,
    ],
  })),
]
export const RELATIONS = Array.from({ length: 24 }, (_, n) => ({
  from: choose(PEOPLE, `lead${n}`),
  to: `project-${n + 1}`,
  relationType: 'leads',
}))

/** Files for the filesystem server, by path. */
export function dataFiles(): Record<string, string> {
  const files: Record<string, string> = {}
  for (const region of REGIONS) {
    const rows = ORDERS.filter((order) => order.region === region)
    files[`orders/${region}.json`] = JSON.stringify(rows, null, 1)
  }
  for (let day = 10; day < 20; day++) {
    const lines = LOG.filter((line) => line.day === day)
    files[`logs/2026-03-${day}.log`] = lines
      .map(({ level, part, ms }) => `2026-03-${day} ${level} ${part} took ${ms} ms`)
      .join('\n')
  }
  for (const person of PEOPLE)
    files[`people/${person}.md`] =
      `# ${person}\n\nteam: ${choose(PARTS, `team ${person}`)}\nlimit: ${pick(`limit ${person}`, 900)}\n`
  return files
}

export const teamOf = (person: string): string => choose(PARTS, `team ${person}`)
export const limitOf = (person: string): number => pick(`limit ${person}`, 900)

function choose(values: readonly string[], seed: string): string {
  return values[pick(seed, values.length)] ?? ''
}
