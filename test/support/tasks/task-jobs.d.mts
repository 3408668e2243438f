export class Failure extends Error {
  readonly code: number
  readonly data: unknown
  constructor(code: number, message: string, data?: unknown)
}

export function createTaskServer(options?: { name?: string; counting?: boolean }): {
  ids(): string[]
  listen(listener: (task: object) => void): () => void
  answer(method: string, params?: object): Promise<object>
}
