/**
 * A request of the operator to a built-in server. It is not a tool and not listed, and agents
 * cannot send it, because only methods in `FORWARDED_METHODS` are forwarded. It runs through the
 * same chain.
 */
export const OPERATE = 'portolan/operate'
