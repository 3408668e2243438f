/** One way for clients to connect, as far as shutting down needs it. */
export interface Front {
  /** Whether it may be behind a load balancer, which needs time to notice that it shuts down. */
  readonly balanced: boolean
  /** Requests that have no answer yet; streams that only listen do not count. */
  inFlight(): number
  /** Ends subscriptions, which would never end by themselves: their clients connect to another replica. */
  endSubscriptions(): void
  /** Cancels what is still in flight, and closes. */
  close(): Promise<void>
}
