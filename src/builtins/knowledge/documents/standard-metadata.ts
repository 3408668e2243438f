type StandardDomain = 'fmea' | 'safety' | 'quality' | 'reliability'

export interface StandardMetadata {
  readonly standard: string
  readonly family: string
  readonly domain: StandardDomain | null
  readonly version: string | null
}

type Rule = readonly [pattern: RegExp, make: (found: readonly string[]) => StandardMetadata]

const SEPARATOR = '[\\s_:-]*'

const RULES: readonly Rule[] = [
  rule(['aiag', 'vda', 'fmea', '(\\d{4})?'], ([year]) => named('AIAG-VDA FMEA', year, 'fmea')),
  rule(['aiag', 'fmea', '(\\d{1,2})', '(\\d{4})?'], ([edition, year]) => ({
    ...named('AIAG FMEA', year, 'fmea'),
    standard: ['AIAG FMEA', edition, year].filter(Boolean).join(' '),
  })),
  rule(['mil', 'std', '(\\d+)', '([A-Z])?\\b'], ([number, revision]) => ({
    standard: `MIL-STD-${number}${(revision ?? '').toUpperCase()}`,
    family: 'MIL-STD',
    domain: number === '882' ? 'safety' : null,
    version: revision?.toUpperCase() ?? null,
  })),
  rule(['iatf', '(\\d{4,5})', '(\\d{4})?'], ([n, year]) => dated('IATF', n, year)),
  rule(['sae', 'j', '(\\d{3,5})'], ([n]) => ({
    standard: `SAE J${n}`,
    family: 'SAE',
    domain: n === '1739' ? 'fmea' : null,
    version: null,
  })),
  rule(['as', '(9100)', '([A-Z])?\\b'], ([n, revision]) => ({
    standard: `AS${n}${(revision ?? '').toUpperCase()}`,
    family: 'AS',
    domain: 'quality',
    version: revision?.toUpperCase() ?? null,
  })),
  rule(
    [
      '(iso(?:[\\s_/-]*iec)?(?:[\\s_/-]*ieee)?)',
      '(\\d{3,5}(?:-\\d{1,2}(?!\\d))?)',
      '((?:19|20)\\d{2})?',
    ],
    ([body, n, year]) => dated((body ?? 'ISO').toUpperCase().replace(/[\s_-]+/g, '/'), n, year),
  ),
  rule(
    ['(iec|ieee|ecss|nasa)', '(\\d{3,5}(?:-\\d{1,2}(?!\\d))?)', '((?:19|20)\\d{2})?'],
    ([body, n, year]) => dated((body ?? '').toUpperCase(), n, year),
  ),
  [
    // The designation of any other standards body: letters, a number, a colon and a year.
    /^([A-Z]{2,6}) (\d{3,5}(?:-\d{1,2})?):((?:19|20)\d{2})\b/,
    ([body, n, year]) => dated(body ?? '', n, year),
  ],
  rule(['rfc', '(\\d{1,5})'], ([n]) => ({
    standard: `RFC ${Number(n)}`,
    family: 'RFC',
    domain: null,
    version: null,
  })),
]

const DOMAINS: Readonly<Record<string, StandardDomain>> = {
  '9001': 'quality',
  '16949': 'quality',
  '26262': 'safety',
  '61508': 'safety',
  '21448': 'safety',
  '14971': 'safety',
  '60812': 'fmea',
  '61025': 'reliability',
  '61709': 'reliability',
}

/** Identifies the standard in a title or file name; the first text that names one decides. */
export function standardMetadata(...texts: readonly string[]): StandardMetadata | undefined {
  for (const text of texts) {
    for (const [pattern, make] of RULES) {
      const found = pattern.exec(text)
      if (found) return make(found.slice(1))
    }
  }
  return undefined
}

function rule(parts: readonly string[], make: Rule[1]): Rule {
  return [new RegExp(`(?<![A-Za-z])${parts.join(SEPARATOR)}`, 'i'), make]
}

function named(family: string, year: string | undefined, domain: StandardDomain): StandardMetadata {
  return {
    standard: [family, year].filter(Boolean).join(' '),
    family,
    domain,
    version: year ?? null,
  }
}

function dated(body: string, number = '', year?: string): StandardMetadata {
  return {
    standard: year ? `${body} ${number}:${year}` : `${body} ${number}`,
    family: `${body} ${number.replace(/-\d+$/, '')}`,
    domain: DOMAINS[number.replace(/-\d+$/, '')] ?? null,
    version: year ?? null,
  }
}
