import type { ChildOptions } from '../child.ts'

/** What the entry of a server asks for. Relative paths are in the folder where the server works. */
export interface SandboxEntry {
  readonly read: readonly string[]
  readonly write: readonly string[]
  readonly network: 'any' | 'none' | readonly string[]
  /** Variables of ours that it gets beside those that every program needs. */
  readonly env: readonly string[]
}

/** A program and the sandbox that it is to run in. */
export interface SandboxRequest {
  readonly program: ChildOptions
  readonly sandbox: SandboxEntry
  /** Our own folders, which no sandboxed server sees. */
  readonly ownFolders: readonly string[]
  /** Where its cache stays between starts. */
  readonly cacheFolder: string
  /** Its package, if that is in one of our own folders; it sees it read-only. */
  readonly packageFolder?: string | undefined
}

/** A path as a sandboxed server sees it. `hide` is an empty folder or file in its place. */
export interface Mount {
  readonly path: string
  readonly source: string
  readonly how: 'hide' | 'read' | 'write'
}

/** Thrown where a program cannot have the sandbox that its entry asks for, so it is not started. */
export class NoSandbox extends Error {
  override readonly name = 'NoSandbox'
  readonly nextStep: string

  constructor(message: string, nextStep: string) {
    super(message)
    this.nextStep = nextStep
  }
}
