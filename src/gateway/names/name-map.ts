import { isObject } from '../../base/json/json.ts'
import type { ToolRef } from '../tools/tool-ref.ts'

/**
 * The names of an installation that would lose their meaning with the process, and their servers.
 * This is what is stored, and what replicas share.
 */
export interface NameMap {
  readonly servers: ReadonlyMap<string, ServerRecord>
  readonly tools: ReadonlyMap<string, NameRecord>
  readonly prompts: ReadonlyMap<string, NameRecord>
}

export interface ServerRecord {
  /** A hash of its configuration without its name, which identifies a renamed server. */
  readonly fingerprint: string
  /** When it was last configured, to the day, or renamed; in milliseconds since the epoch. */
  readonly seenAt: number
  /** The name it was given after this one. */
  readonly renamedTo?: string | undefined
}

export interface NameRecord extends ToolRef {
  /** The last day on which a process used the name, in days since the epoch. */
  readonly usedOn: number
}

/** The names that one process has to store. */
export interface OwnNames {
  /** The configured servers, each with the fingerprint of its configuration; '' if it has none. */
  readonly servers: ReadonlyMap<string, string>
  /** Maps former names of servers to their current ones. */
  readonly renamed: ReadonlyMap<string, string>
  readonly tools: Iterable<readonly [name: string, ref: ToolRef]>
  readonly prompts: Iterable<readonly [name: string, ref: ToolRef]>
}

export const NO_NAMES: NameMap = { servers: new Map(), tools: new Map(), prompts: new Map() }

/** A stored text that is longer is not one of ours. */
export const MAX_CHARACTERS = 8 << 20

/** Writes the same text for the same map; as lists of lists, because a name may be any string. */
export function formatNames({ servers, tools, prompts }: NameMap): string {
  const rows = (names: NameMap['tools']) =>
    [...names].map(([name, { server, name: own, usedOn }]) => [name, server, own, usedOn])
  return JSON.stringify({
    servers: [...servers].map(([name, { fingerprint, seenAt, renamedTo }]) => [
      name,
      fingerprint,
      seenAt,
      ...(renamedTo === undefined ? [] : [renamedTo]),
    ]),
    tools: rows(tools),
    prompts: rows(prompts),
  })
}

/** Returns undefined if the text is damaged; '' is a map without names. */
export function parseNames(text: string): NameMap | undefined {
  if (text === '') return NO_NAMES
  if (text.length > MAX_CHARACTERS) return undefined
  try {
    const value: unknown = JSON.parse(text)
    if (!isObject(value)) return undefined
    const { servers, tools, prompts } = value
    return {
      servers: new Map(rowsOf(servers).flatMap(toServer)),
      tools: new Map(rowsOf(tools).flatMap(toName)),
      prompts: new Map(rowsOf(prompts).flatMap(toName)),
    }
  } catch {
    return undefined
  }
}

function rowsOf(value: unknown): unknown[][] {
  return Array.isArray(value) ? value.filter((row): row is unknown[] => Array.isArray(row)) : []
}

function toServer([name, fingerprint, seenAt, renamedTo]: unknown[]): [string, ServerRecord][] {
  if (typeof name !== 'string' || typeof fingerprint !== 'string' || typeof seenAt !== 'number')
    return []
  const more = typeof renamedTo === 'string' ? { renamedTo } : {}
  return [[name, { fingerprint, seenAt, ...more }]]
}

function toName([name, server, own, usedOn]: unknown[]): [string, NameRecord][] {
  return typeof name === 'string' &&
    typeof server === 'string' &&
    typeof own === 'string' &&
    typeof usedOn === 'number'
    ? [[name, { server, name: own, usedOn }]]
    : []
}
