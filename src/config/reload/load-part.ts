import { existsSync } from 'node:fs'
import { LEVELS } from '../paths.ts'
import { type Problem, isFatal } from '../problem.ts'
import { type LeftOut, withMistake } from '../trust/untrusted.ts'
import {
  type CheckTrust,
  type ParsedLayer,
  type Layer,
  type LayerReader,
  type LayerSource,
  again,
  loadLayer,
} from './load-layer.ts'

/** The result of all files of one kind: the merged value, or why there is none. */
export interface Part<Value, OfFile = Value> extends ParsedLayer<Value> {
  /** Weakest first. */
  readonly layers: readonly Layer<OfFile>[]
  /** The strongest of its files. */
  readonly path: string | undefined
  /** Files of the working folder that nobody has trusted. */
  readonly leftOut: readonly LeftOut[]
  /** The merged value once the files that have changed are trusted; undefined if none has. */
  readonly waiting?: { readonly value: Value } | undefined
  /** The pushed version it comes from, even if that has no such file. */
  readonly version?: number | undefined
  readonly warnings: readonly string[]
}

/** The sources of one part, weakest first. */
export interface PartSource {
  readonly layers: readonly LayerSource[]
  readonly version?: number | undefined
}

export interface PartReader<Value, OfFile> extends LayerReader<OfFile> {
  /** Merges the files, weakest first; there may be none. */
  merge(layers: readonly Pick<Layer<OfFile>, 'level' | 'path' | 'value'>[]): ParsedLayer<Value>
}

/**
 * Loads the files of one kind. With the part `before` a reload, each file that cannot be used now
 * keeps the content that was in use, and does not hold up the others.
 */
export function loadPart<Value, OfFile>(
  { layers: sources, version }: PartSource,
  reader: PartReader<Value, OfFile>,
  { checkTrust, before }: { checkTrust: CheckTrust; before: Part<Value, OfFile> | undefined },
): Part<Value, OfFile> {
  const origin = version === undefined ? {} : { version }
  const chosen = loadLayers(sources, reader, { checkTrust, before: before?.layers ?? [] }).map(
    (layer) => ({ ...origin, ...layer }),
  )
  const layers = chosen.filter((layer) => isUsed(layer) || (!layer.leftOut && !before))
  const problems = chosen.flatMap((layer) => layer.problems)
  const warnings = layers.flatMap((layer) => layer.warnings)
  const path = layers.findLast(({ value }) => value !== undefined)?.path
  const leftOut = chosen.flatMap((layer) => layer.leftOut ?? [])
  const part = { ...origin, layers, leftOut, path }
  if (!before && problems.some(isFatal)) return { ...part, value: undefined, problems, warnings }
  const merged = reader.merge(layers)
  if (before && merged.problems.some(isFatal)) return { ...before, problems: merged.problems }
  return {
    ...part,
    ...merged,
    ...mergeWaiting(layers, reader, { leftOut, before }),
    problems: [...problems, ...merged.problems],
    warnings: [...warnings, ...(merged.warnings ?? [])],
  }
}

/** Loads the files of all levels, and keeps those that have disappeared since the last time. */
function loadLayers<OfFile>(
  sources: readonly LayerSource[],
  reader: LayerReader<OfFile>,
  { checkTrust, before }: { checkTrust: CheckTrust; before: readonly Layer<OfFile>[] },
): Layer<OfFile>[] {
  const lost = before.filter((layer) => isLost(layer, sources))
  return LEVELS.flatMap((level) => {
    const kept = lost.filter((layer) => layer.level === level)
    if (kept.length > 0)
      return kept.map((layer) => ({ ...again(layer, reader), problems: [fileNotFound(layer)] }))
    return choose(
      sources
        .filter((source) => source.level === level)
        .map((source) =>
          loadLayer(source, reader, {
            checkTrust,
            before: before.find(({ path }) => path === source.path),
          }),
        ),
    )
  })
}

function isUsed({ value, waiting }: Layer<unknown>): boolean {
  return value !== undefined || waiting !== undefined
}

/**
 * Returns the strongest trusted file of a level, and the untrusted ones above it, which only deny: a
 * file that somebody adds must not replace one that a person has trusted.
 */
function choose<OfFile>(layers: readonly Layer<OfFile>[]): readonly Layer<OfFile>[] {
  return layers.slice(layers.findLastIndex(({ leftOut, waiting }) => !leftOut || waiting))
}

/**
 * Whether a file in use has disappeared: a rules file that does must not allow everything, nor let
 * another silently replace it. In a pushed version, it was removed on purpose.
 */
function isLost({ path, version, text }: Layer<unknown>, sources: readonly LayerSource[]): boolean {
  return (
    version === undefined &&
    text !== undefined &&
    !sources.some((source) => source.path === path) &&
    !existsSync(path)
  )
}

function fileNotFound({ path: file }: Layer<unknown>): Problem {
  const message = 'file not found; its last content stays in use until the gateway is restarted'
  return { file, path: '', message }
}

/** Merges what the files say now, if one of them waits for trust. */
function mergeWaiting<Value, OfFile>(
  layers: readonly Layer<OfFile>[],
  reader: PartReader<Value, OfFile>,
  known: { leftOut: readonly LeftOut[]; before: Part<Value, OfFile> | undefined },
): Pick<Part<Value>, 'waiting' | 'leftOut'> {
  const { leftOut, before } = known
  const waiting = layers.filter((layer) => layer.waiting !== undefined)
  if (waiting.length === 0) return { leftOut }
  const { value } = reader.merge(layers.map((layer) => ({ ...layer, ...layer.waiting })))
  if (value !== undefined) return { leftOut, waiting: { value } }
  const isBad = ({ path }: LeftOut) => waiting.some((layer) => layer.path === path)
  return {
    leftOut: leftOut.map((file) => (isBad(file) ? withMistake(file) : file)),
    waiting: before?.waiting,
  }
}
