/** A way in, as whoever closes it sees it. */
export interface Front {
  /** Whether load balancers may stand before it, which need time to notice that it leaves. */
  readonly balanced: boolean
  /** Requests that have no answer yet; streams that only listen do not count. */
  inFlight(): number
  /** Ends what would never end by itself, such as subscriptions: their clients go elsewhere. */
  tellListeners(): void
  /** Gives up what is still under way, and ends. */
  close(): Promise<void>
}
