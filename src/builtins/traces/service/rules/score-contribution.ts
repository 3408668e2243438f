import { namesIn } from './context-fingerprint.ts'
import type { Metadata } from './enrich-metadata.ts'

export type Impact = 'critical' | 'high' | 'normal' | 'low'

const VERSION = /[=@:^~]\s?v?\d+\.\d+/

const INTENSITY: Record<string, number> = {
  security_hardening: 0.8,
  prediction_error: 0.7,
  error_resolution: 0.6,
  approach_reversal: 0.5,
  migration_pattern: 0.5,
  user_correction: 0.5,
  dependency_resolution: 0.4,
  test_fix_cycle: 0.4,
  user_emphasis: 0.4,
  infra_discovery: 0.4,
  research_then_implement: 0.3,
  config_discovery: 0.3,
}
const DEFAULT_INTENSITY = 0.2

const CRITICAL_TAGS = namesIn('security authentication authorization encryption vulnerability cve')
const HIGH_TAGS = namesIn('error crash bug fix regression migration deployment production')
const LOW_TAGS = namesIn('style formatting lint refactor cleanup typo')
const HIGH_PATTERNS = namesIn('error_resolution prediction_error approach_reversal')

/** Days after which a trace with one of the tags weighs half. */
const HALF_LIVES = [
  [180, namesIn('react vue next nuxt svelte angular')],
  [270, namesIn('tailwind css')],
  [
    365,
    namesIn('fastapi django flask express rails spring node python javascript typescript rust go'),
  ],
  [548, namesIn('aws gcp')],
  [730, namesIn('docker kubernetes postgres redis nginx linux terraform')],
] as const

/** Counts what is present, 0..4: error message, environment, substantial solution, versions. */
export function depthScore(metadata: Metadata, solution: string): number {
  const located =
    Boolean(metadata['language']) &&
    Boolean(metadata['framework'] ?? metadata['versions'] ?? metadata['library_version'])
  return [
    Boolean(metadata['error_message']),
    located,
    solution.length > 200,
    VERSION.test(solution),
  ].filter(Boolean).length
}

/** Rates how hard it was to learn this, 0..1. */
export function difficulty(metadata: Metadata): number {
  const pattern = detectionPattern(metadata)
  const sum =
    (INTENSITY[pattern] ?? DEFAULT_INTENSITY) +
    Math.min(0.2, 0.03 * amount(metadata, 'error_count')) +
    Math.min(0.15, 0.005 * amount(metadata, 'minutes', 'time_to_resolution_minutes')) +
    Math.min(0.1, 0.01 * amount(metadata, 'iterations', 'iteration_count')) +
    Math.min(0.15, 0.15 * amount(metadata, 'user_emphasis'))
  return Math.min(1, sum)
}

export function impactLevel(tags: readonly string[], metadata: Metadata): Impact {
  const pattern = detectionPattern(metadata)
  const has = (names: ReadonlySet<string>): boolean => tags.some((tag) => names.has(tag))
  if (has(CRITICAL_TAGS) || pattern === 'security_hardening') return 'critical'
  const hard =
    amount(metadata, 'error_count') > 5 ||
    amount(metadata, 'minutes', 'time_to_resolution_minutes') > 60
  if (has(HIGH_TAGS) || HIGH_PATTERNS.has(pattern) || hard) return 'high'
  return has(LOW_TAGS) ? 'low' : 'normal'
}

/** Returns the shortest half-life among the tags. */
export function halfLifeDays(tags: readonly string[], fallback: number): number {
  const known = HALF_LIVES.filter(([, names]) => tags.some((tag) => names.has(tag)))
  return known.length > 0 ? Math.min(...known.map(([days]) => days)) : fallback
}

function detectionPattern({ detection_pattern }: Metadata): string {
  return typeof detection_pattern === 'string' ? detection_pattern : ''
}

function amount(metadata: Metadata, ...names: readonly string[]): number {
  for (const name of names) {
    const value = metadata[name]
    if (typeof value === 'number' && Number.isFinite(value)) return Math.max(0, value)
    if (value === true) return 1
  }
  return 0
}
