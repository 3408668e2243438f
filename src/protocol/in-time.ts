/** What `work` gives; where it takes longer, what `late` gives or throws. The work itself goes on. */
export async function inTime<Value, Late>(
  work: Promise<Value>,
  ms: number,
  late: () => Late,
): Promise<Value | Late> {
  let timer: NodeJS.Timeout | undefined
  const expired = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  return Promise.race([work, expired.then(late)]).finally(() => clearTimeout(timer))
}
