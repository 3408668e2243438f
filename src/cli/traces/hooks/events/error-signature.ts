const LENGTH = 500

const NORMALISED: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi, '<id>'],
  [/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S*/g, '<time>'],
  [/\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b/g, '<time>'],
  [/\b1[5-9]\d{8}(?:\d{3})?\b/g, '<time>'],
  [/\b\d+(?:\.\d+)?\s?m?s\b/g, '<duration>'],
  [/\b0x[0-9a-f]+\b/gi, '<hex>'],
  [/\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b/gi, '<hex>'],
  [/(?:[A-Za-z]:)?(?:[\w.@~-]*[/\\])+([\w.@-]+)/g, '$1'],
  [/:\d+(?::\d+)?\b/g, ':<line>'],
  [/\b(lines?|col(?:umn)?) \d+/gi, '$1 <line>'],
]

/**
 * The same for two runs of one mistake: without places, times and addresses. Other numbers stay: a
 * 404 is not a 500. Cut only afterwards, as long paths would move the cut.
 */
export function errorSignature(text: string): string {
  return NORMALISED.reduce((left, [pattern, by]) => left.replaceAll(pattern, by), text)
    .replaceAll(/\s+/g, ' ')
    .trim()
    .toLowerCase()
    .slice(-LENGTH)
}
