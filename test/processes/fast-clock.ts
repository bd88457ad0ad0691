/**
 * Loaded into a process (`--import`) before everything else: its clock runs three times as fast from the time in
 * FAST_CLOCK_SINCE on (Unix time, milliseconds), so that the clocks of several processes agree. Of its timers, only those
 * of the heartbeat and of a rotation that waits run faster: a timeout gives a busy machine as much time as ever.
 */
const speed = 3
const intervals = [1_000, 10_000]

const since = Number(process.env['FAST_CLOCK_SINCE'])
const { now } = Date
Date.now = () => Math.round(since + (now() - since) * speed)

const { setTimeout: start } = globalThis
globalThis.setTimeout = Object.assign(
  (callback: () => void, delay: number = 0, ...more: []) =>
    start(callback, intervals.includes(delay) ? delay / speed : delay, ...more),
  // With what `promisify` reads.
  start,
)
