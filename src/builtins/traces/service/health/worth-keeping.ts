const CODE = /```|^(?: {4}|\t)\S|`[^`\n]+`/m

interface Kept {
  readonly solution_text: string
  readonly tags: readonly string[]
}

/** 0..3: which of several that say the same is the one to keep: a whole answer, with code, and easy to find. */
export function worthKeeping({ solution_text, tags }: Kept): number {
  return (
    Math.min(solution_text.length, 1500) / 1500 +
    (CODE.test(solution_text) ? 1 : 0) +
    Math.min(tags.length, 5) / 5
  )
}
