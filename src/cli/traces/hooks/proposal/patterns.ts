import { isTestCommand } from '../command-outcome.ts'
import { type SessionEvent, eventsOf } from '../memory/session-log.ts'

const WEIGHTS = [
  ['error_resolution', 3],
  ['post_turn_revision', 2.5],
  ['approach_reversal', 2.5],
  ['test_fix_cycle', 2],
  ['research_then_implement', 2],
] as const
export type PatternName = (typeof WEIGHTS)[number][0]

/** How often each pattern led to a proposal, and how often to a contribution. */
export type Reinforcement = Readonly<Record<string, { proposed: number; contributed: number }>>

export interface Score {
  readonly total: number
  /** The patterns found, highest score first. */
  readonly patterns: readonly PatternName[]
}

/** The least score of a session that solved something worth contributing. */
export const WORTH_TELLING = 4

const MINUTE_MS = 60_000
const RESEARCH_MS = 10 * MINUTE_MS
const NEAR_MS = 5 * MINUTE_MS
const NEARNESS_BONUS = 0.3
const MANY_EDITS = 3
const ENOUGH_PROPOSALS = 3
const REINFORCEMENT_BONUS = 0.3

/** Scores a session by its events, not by any text. */
export function scorePatterns(events: readonly SessionEvent[], past: Reinforcement = {}): Score {
  const moments = findMoments(events)
  const anchors = [...moments.error_resolution, ...moments.approach_reversal]
  const scored = WEIGHTS.flatMap(([name, weight]) => {
    const seen = moments[name]
    if (seen.length === 0) return []
    const score = weight * nearness(name, seen, anchors) * reinforcement(past[name])
    return [{ name, score }]
  })
  return {
    total: scored.reduce((sum, { score }) => sum + score, 0),
    patterns: scored.toSorted((a, b) => b.score - a.score).map(({ name }) => name),
  }
}

type Moments = Record<PatternName, readonly number[]>

function findMoments(events: readonly SessionEvent[]): Moments {
  const resolved = eventsOf(events, 'resolved')
  const edits = eventsOf(events, 'edited')
  return {
    error_resolution: resolved.map(({ at }) => at),
    post_turn_revision: edits.filter((edit) => isRevision(edit, events)).map(({ at }) => at),
    approach_reversal: edits
      .filter(
        ({ file, isWhole, at }) =>
          isWhole &&
          edits.filter((other) => other.file === file && other.at < at).length >= MANY_EDITS,
      )
      .map(({ at }) => at),
    test_fix_cycle: resolved
      .filter(
        ({ command, since, at }) =>
          isTestCommand(command) && edits.some((edit) => edit.at >= since && edit.at <= at),
      )
      .map(({ at }) => at),
    research_then_implement: edits
      .filter(({ at }) => followsResearch(at, events))
      .map(({ at }) => at),
  }
}

/** Whether a file edited in an earlier turn is changed again after a new prompt. */
function isRevision(
  { file, at }: { file: string; at: number },
  events: readonly SessionEvent[],
): boolean {
  const asked = eventsOf(events, 'asked').findLast((turn) => turn.at <= at)
  if (!asked) return false
  return eventsOf(events, 'edited').some((edit) => edit.file === file && edit.at < asked.at)
}

function followsResearch(at: number, events: readonly SessionEvent[]): boolean {
  const research = eventsOf(events, 'researched').findLast((each) => each.at <= at)
  if (!research || at - research.at > RESEARCH_MS) return false
  return !eventsOf(events, 'failed').some((each) => each.at >= research.at && each.at <= at)
}

/** Adds up to 30 % if it happened close to a solved error or a change of approach. */
function nearness(name: PatternName, seen: readonly number[], anchors: readonly number[]): number {
  if (name === 'error_resolution' || name === 'approach_reversal') return 1
  const distances = seen.flatMap((at) => anchors.map((anchor) => Math.abs(at - anchor)))
  const closest = Math.min(NEAR_MS, ...distances)
  return 1 + NEARNESS_BONUS * (1 - closest / NEAR_MS)
}

/** Adds up to 30 % for a pattern that has led to contributions before. */
function reinforcement(past: { proposed: number; contributed: number } | undefined): number {
  if (!past || past.proposed < ENOUGH_PROPOSALS) return 1
  return 1 + REINFORCEMENT_BONUS * Math.min(1, past.contributed / past.proposed)
}
