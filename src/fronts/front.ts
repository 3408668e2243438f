/** One way for clients to connect, with the members that shutdown needs. */
export interface Front {
  /** Whether it may be behind a load balancer, which needs time to notice that it shuts down. */
  readonly balanced: boolean
  /** The number of requests without an answer; streams that only listen do not count. */
  inFlight(): number
  /** Ends subscriptions, which never end by themselves; clients connect to another replica. */
  endSubscriptions(): void
  /** Cancels the requests still in flight, and closes. */
  close(): Promise<void>
}
