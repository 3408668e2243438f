import { type JsonObject, isObject } from '../../base/json/json.ts'

interface Question {
  readonly method: string
  readonly params: JsonObject
  resolve(answer: JsonObject): void
  reject(error: unknown): void
}

/** Questions of a server that wait for answers of the client. Each key is used once. */
export class OpenQuestions {
  readonly #open = new Map<string, Question>()
  #asked = 0

  get size(): number {
    return this.#open.size
  }

  /** The questions in the form of the modern era. */
  get requests(): JsonObject {
    const entries = [...this.#open].map(([key, { method, params }]) => [key, { method, params }])
    return Object.fromEntries(entries)
  }

  /** `key` is the server's own key of the question, if it has one. */
  async ask(method: string, params: JsonObject, key?: string): Promise<JsonObject> {
    return new Promise((resolve, reject) => {
      this.#asked += 1
      this.#open.set(key ?? `q${this.#asked}`, { method, params, resolve, reject })
    })
  }

  /** Takes the answers to open questions; others are ignored. */
  answer(responses: unknown): void {
    const given = isObject(responses) ? responses : {}
    for (const [key, question] of this.#open) {
      const answer = given[key]
      if (!isObject(answer)) continue
      this.#open.delete(key)
      question.resolve(answer)
    }
  }

  abandon(reason: Error): void {
    for (const question of this.#open.values()) question.reject(reason)
    this.#open.clear()
  }
}
