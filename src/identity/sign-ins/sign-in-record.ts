import { type Soon, after } from '../../base/flow/soon.ts'
import type { StoredOAuthTokens } from '@modelcontextprotocol/client'
import type { Vault, VaultRecord } from '../vault/vault.ts'
import type { SignInServer } from './server.ts'
import { type Need, type StoredSignIn, type Usage, recordNames } from './stored.ts'

export interface SignInRecordOptions {
  readonly vault: Vault
  readonly server: SignInServer
  readonly person: string
  /** Whether no other entry has the same URL. */
  readonly isOnlyEntry: () => boolean
  /** Registers values to be hidden as secrets everywhere from now on. */
  readonly learn: (secrets: readonly string[]) => void
}

/** How often the use of a sign-in is recorded. */
const NOTE_USE_MS = 60_000

/** What the vault holds of the sign-in of one person to one entry: the tokens, and their use. */
export class SignInRecord {
  readonly #options: SignInRecordOptions
  readonly #record: VaultRecord<StoredSignIn>
  readonly #usage: VaultRecord<Usage>
  #noteUseAt = 0
  #known: string | undefined
  #takingOver: Promise<void> | undefined
  #isTakenOver = false

  constructor(options: SignInRecordOptions) {
    const { vault, server, person } = options
    this.#options = options
    this.#record = vault.record(recordNames.signIn(server, person))
    this.#usage = vault.record(recordNames.usage(server, person))
  }

  read(): Soon<Partial<StoredSignIn>> {
    return this.#isTakenOver ? this.#read() : this.#takeOver().then(async () => this.#read())
  }

  #read(): Soon<Partial<StoredSignIn>> {
    return after(this.#record.read(), (stored) => {
      if (stored.tokens && stored.tokens.access_token !== this.#known) this.#learn(stored.tokens)
      return stored
    })
  }

  /** Describes the sign-in, without its tokens. */
  async describe(): Promise<Pick<Partial<StoredSignIn>, 'signedInAt' | 'scope'> & Partial<Usage>> {
    const { tokens, signedInAt, scope } = await this.read()
    if (!tokens) return {}
    const { usedAt } = await this.#usage.read()
    return {
      ...(signedInAt !== undefined && { signedInAt }),
      scope: tokens.scope ?? scope ?? '',
      ...(usedAt !== undefined && { usedAt }),
    }
  }

  /** Whether there is an access token, and it is not this one. */
  async hasAnother(used: string | undefined): Promise<boolean> {
    const { tokens } = await this.read()
    return tokens !== undefined && tokens.access_token !== used
  }

  /** Stores tokens; `asked` is set after a sign-in, and is the scope that it asked for. */
  async keep(tokens: StoredOAuthTokens, asked?: string): Promise<void> {
    const now = Date.now()
    this.#learn(tokens)
    const { server, person } = this.#options
    await this.#record.update({
      tokens,
      expiresAt: tokens.expires_in === undefined ? undefined : now + tokens.expires_in * 1000,
      server: server.name,
      person,
      need: undefined,
      ...(asked !== undefined && { scope: asked, signedInAt: now }),
    })
  }

  async noteNeed(need: Need): Promise<void> {
    await this.#record.update({ need })
  }

  /** Drops the tokens, and stores what a new sign-in needs, if that is given. */
  async dropTokens(need?: Need): Promise<void> {
    await this.#record.update({ ...(need && { need }), tokens: undefined, expiresAt: undefined })
  }

  /** Runs one piece of work at a time among all who share the vault. */
  async exclusively<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.#takeOver()
    return this.#record.exclusively(work)
  }

  /** Deletes everything, and returns the tokens. */
  async remove(): Promise<StoredOAuthTokens | undefined> {
    // A renewal that is under way would sign the person in again.
    const { tokens } = await this.exclusively(async () => {
      const stored = await this.read()
      await this.#record.remove()
      return stored
    })
    await this.#usage.remove()
    return tokens
  }

  /** Takes over what an earlier version stored, unless it could be that of another entry. */
  async #takeOver(): Promise<void> {
    if (this.#isTakenOver) return
    this.#takingOver ??= this.#moveEarlier()
    try {
      await this.#takingOver
      this.#isTakenOver = true
    } finally {
      this.#takingOver = undefined
    }
  }

  async #moveEarlier(): Promise<void> {
    const { vault, server, person, isOnlyEntry } = this.#options
    if (!isOnlyEntry()) return
    const names = recordNames.earlier(server, person)
    const earlier = vault.record<StoredSignIn>(names.signIn)
    if (!(await earlier.read()).tokens) return
    await earlier.exclusively(async () => {
      const stored = await earlier.read()
      // Another process may have been faster. Our own record is not read before, so as not to
      // remember that it is empty.
      if (!stored.tokens || (await this.#record.read()).tokens) return
      await this.#record.update(stored)
      const usage = vault.record<Usage>(names.usage)
      await this.#usage.update(await usage.read())
      await usage.remove()
      await earlier.remove()
    })
  }

  noteUse(): void {
    const now = Date.now()
    if (now < this.#noteUseAt) return
    this.#noteUseAt = now + NOTE_USE_MS
    this.#usage.update({ usedAt: now }).catch(() => undefined)
  }

  #learn({ access_token, refresh_token, id_token }: StoredOAuthTokens): void {
    this.#known = access_token
    this.#options.learn(
      [access_token, refresh_token, id_token].filter((value) => value !== undefined),
    )
  }
}
