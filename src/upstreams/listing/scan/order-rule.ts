import type { ScanClass } from './finding.ts'

/** A kind of text that instructs instead of describing: all patterns match one folded sentence. */
export interface OrderRule {
  readonly class: ScanClass
  readonly rule: string
  readonly reason: string
  readonly all: readonly RegExp[]
  readonly none?: RegExp
}

/** Sentences about attacks instead of one. */
export const CHECKS =
  /\b(?:detects?|analy[sz]es|(?<!\b(?:safety|security|approval|permission|policy|content|access)\s)checks?|tests?|flags?|scans?|identif(?:y|ies)|classif(?:y|ies)|blocks?|rejects?|prevents?|refuses?|whether|mock|canned|expected|fixtures?|not be used as|explain(?:s|ing)|sample (?:responses?|outputs?|prompts?))\b/u
/** A warning not to send secrets. */
export const NOT_SENT =
  /\b(?:do not|does not|don't|doesn't|never|avoid|must not|should not|cannot)\s+(?:\w+\s+)?(?:send|share|include|includ\w+|pass\w*|put|provide|store|embed|expose|log|commit|return|use|copy|transmit|forward|upload|post|report)\b/u
export const EXAMPLE = /\bexample\b(?!\.)|\be\.g\.|\bsuch as\b/u
