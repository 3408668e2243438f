import { describe, expect, it } from 'vitest'
import { scorePatterns } from './patterns.ts'
import type { SessionEvent } from '../memory/session-log.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

function edited(at: number, file = 'a.ts', isWhole = false): SessionEvent {
  return { kind: 'edited', at, file, isWhole }
}

function failed(at: number): SessionEvent {
  return { kind: 'failed', at, command: 'make', signature: 's' }
}

function resolved(at: number, command = 'make app', since = at - 1): SessionEvent {
  return { kind: 'resolved', at, since, command, failures: 1, assisted: false, tokens: 0 }
}

/** What research counts for at some distance from a solved error. */
function researchAt(distance: number): number {
  const research: SessionEvent = { kind: 'researched', at: HOUR + distance - 1 }
  return scorePatterns([research, edited(HOUR + distance), resolved(HOUR)]).total - 3
}

function score(proposed: number, contributed: number): number {
  const past = { error_resolution: { proposed, contributed } }
  return scorePatterns([resolved(HOUR)], past).total
}

describe('the score of a session', () => {
  it.each<[string, number, SessionEvent[]]>([
    ['error_resolution', 3, [resolved(HOUR)]],
    ['post_turn_revision', 2.5, [edited(1), { kind: 'asked', at: 2 }, edited(3)]],
    ['approach_reversal', 2.5, [edited(1), edited(2), edited(3), edited(4, 'a.ts', true)]],
    ['research_then_implement', 2, [{ kind: 'researched', at: 1 }, edited(9 * MINUTE)]],
  ])('gives %s %d', (name, total, events) => {
    expect(scorePatterns(events)).toEqual({ total, patterns: [name] })
  })

  it('counts a test that failed, was worked on and passed, besides the error, with the bonus of being near', () => {
    const events = [edited(HOUR - 10), resolved(HOUR, 'npm test', HOUR - 20)]
    expect(scorePatterns(events)).toEqual({
      total: 3 + 2 * 1.3,
      patterns: ['error_resolution', 'test_fix_cycle'],
    })
  })

  it.each<[string, SessionEvent[]]>([
    ['a test that passes again by itself is no fix cycle', [resolved(HOUR, 'npm test')]],
    ['a file changed twice in one turn is no revision', [edited(1), edited(2), resolved(HOUR)]],
    [
      'the first words of the user revise nothing',
      [{ kind: 'asked', at: 1 }, edited(2), edited(3), resolved(HOUR)],
    ],
    [
      'a file written over after two edits is no reversal',
      [edited(1), edited(2), edited(3, 'a.ts', true), resolved(HOUR)],
    ],
    [
      'research from more than ten minutes ago has led to nothing',
      [{ kind: 'researched', at: 1 }, edited(11 * MINUTE), resolved(HOUR)],
    ],
    [
      'research that an error followed is part of the error',
      [{ kind: 'researched', at: 1 }, failed(2), edited(3), resolved(HOUR)],
    ],
  ])('is not fooled: %s', (_, events) => {
    expect(scorePatterns(events).total).toBe(3)
  })

  it('fades the bonus out over five minutes', () => {
    expect(researchAt(0)).toBeCloseTo(2.6)
    expect(researchAt(2.5 * MINUTE)).toBeCloseTo(2.3)
    expect(researchAt(6 * MINUTE)).toBeCloseTo(2)
  })

  it('reinforces what led to contributions, by 30 % at most, and only after three times', () => {
    expect(score(2, 2)).toBe(3)
    expect(score(3, 0)).toBe(3)
    expect(score(4, 2)).toBeCloseTo(3 * 1.15)
    expect(score(3, 9)).toBeCloseTo(3 * 1.3)
  })
})
