/**
 * A request of whoever runs the gateway to a built-in server: no tool, listed nowhere, and out of reach
 * for agents, whose requests are passed on by name (`FORWARDED_METHODS`). It runs the same chain.
 */
export const OPERATE = 'portolan/operate'
