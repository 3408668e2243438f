import type { Metadata } from './enrich-metadata.ts'

/** The environment in which something was learnt or is needed. */
export type Fingerprint = Readonly<Record<string, string>>

const WEIGHTS: Readonly<Record<string, number>> = {
  language: 0.3,
  framework: 0.25,
  os: 0.15,
  package_manager: 0.1,
  runtime: 0.1,
  environment: 0.1,
}

const BY_TAG: Readonly<Record<string, ReadonlySet<string>>> = {
  language: namesIn(
    'python javascript typescript rust go java ruby php csharp cpp kotlin swift sql bash',
  ),
  framework: namesIn(
    'fastapi django flask next nuxt react vue svelte angular express rails spring',
  ),
  os: namesIn('linux macos windows alpine debian ubuntu'),
  package_manager: namesIn('npm pnpm yarn pip poetry uv cargo maven gradle bundler'),
  runtime: namesIn('node deno bun jvm browser'),
  environment: namesIn('docker kubernetes ci aws gcp azure production serverless'),
}

export function namesIn(text: string): ReadonlySet<string> {
  return new Set(text.split(' '))
}

/** Takes each part from the metadata, otherwise from the tags. */
export function toFingerprint(metadata: Metadata, tags: readonly string[] = []): Fingerprint {
  const found: Record<string, string> = {}
  for (const part of Object.keys(WEIGHTS)) {
    const said = metadata[part]
    const value =
      typeof said === 'string' && said !== ''
        ? said.toLowerCase()
        : tags.find((tag) => BY_TAG[part]?.has(tag))
    if (value !== undefined) found[part] = value
  }
  return found
}

/** Returns how far two environments agree, 0..1, over the parts that either of them names. */
export function alignment(one: Fingerprint, other: Fingerprint): number {
  let common = 0
  let named = 0
  for (const [part, weight] of Object.entries(WEIGHTS)) {
    const [a, b] = [one[part], other[part]]
    if (a === undefined && b === undefined) continue
    named += weight
    if (a === b) common += weight
  }
  return named === 0 ? 0 : common / named
}
