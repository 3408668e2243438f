/** Keeps the best of many scored documents in a min-heap; on a tie, the lower number wins. */
export class TopHits {
  readonly #limit: number
  readonly #documents: number[] = []
  readonly #scores: number[] = []

  constructor(limit: number) {
    this.#limit = limit
  }

  /** The score that a document has to beat to be kept. */
  get bar(): number {
    return this.#documents.length < this.#limit ? -Infinity : (this.#scores[0] ?? -Infinity)
  }

  offer(document: number, score: number): void {
    if (this.#limit === 0) return
    if (this.#documents.length < this.#limit) {
      this.#documents.push(document)
      this.#scores.push(score)
      this.#rise(this.#documents.length - 1)
    } else if (worse(this.#scores[0] ?? 0, this.#documents[0] ?? 0, score, document)) {
      this.#documents[0] = document
      this.#scores[0] = score
      this.#sink(0)
    }
  }

  /** Best first. */
  take(): ScoredDocument[] {
    return this.#documents
      .map((document, at) => ({ document, score: this.#scores[at] ?? 0 }))
      .toSorted((a, b) => b.score - a.score || a.document - b.document)
  }

  #isWorse(a: number, b: number): boolean {
    const documents = this.#documents
    const scores = this.#scores
    return worse(scores[a] ?? 0, documents[a] ?? 0, scores[b] ?? 0, documents[b] ?? 0)
  }

  #rise(at: number): void {
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!this.#isWorse(at, parent)) return
      this.#swap(at, parent)
      at = parent
    }
  }

  #sink(at: number): void {
    for (;;) {
      const left = at * 2 + 1
      if (left >= this.#documents.length) return
      const right = left + 1
      const worst = right < this.#documents.length && this.#isWorse(right, left) ? right : left
      if (!this.#isWorse(worst, at)) return
      this.#swap(at, worst)
      at = worst
    }
  }

  #swap(a: number, b: number): void {
    const documents = this.#documents
    const scores = this.#scores
    ;[documents[a], documents[b]] = [documents[b] ?? 0, documents[a] ?? 0]
    ;[scores[a], scores[b]] = [scores[b] ?? 0, scores[a] ?? 0]
  }
}

export interface ScoredDocument {
  readonly document: number
  readonly score: number
}

function worse(scoreA: number, documentA: number, scoreB: number, documentB: number): boolean {
  return scoreA < scoreB || (scoreA === scoreB && documentA > documentB)
}
