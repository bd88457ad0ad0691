/** Loaded into a process (`--import`) before everything else: with each SIGUSR2, its clock is put forward by six minutes. */
const { now } = Date
let ahead = 0
Date.now = () => now() + ahead
process.on('SIGUSR2', () => {
  ahead += 360_000
  process.stdout.write(`The clock is ${ahead} ms ahead.\n`)
})
