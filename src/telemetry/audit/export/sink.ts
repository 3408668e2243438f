/** Takes audit lines somewhere else. */
export interface Sink {
  /** Rejects when not all of them were taken; they come again then. */
  send(lines: readonly string[]): Promise<void>
  close(): Promise<void>
}
