import { takeTrips } from './trace.ts'
const f = /^(express|challenge|service\/features)\//
for (const { name, order } of await takeTrips()) {
  const inside = order.filter((x) => f.test(x))
  const visits = inside.filter((x, i) => x !== inside[i - 1])
  const c = new Map<string, number>()
  for (const v of visits) c.set(v, (c.get(v) ?? 0) + 1)
  console.log('##', name, visits.length - c.size)
  for (const [k, n] of [...c].toSorted((a, b) => b[1] - a[1]).filter((x) => x[1] > 1)) console.log('   ', n - 1, k)
  if (process.argv[2] && name.includes(process.argv[2])) console.log(visits.join('\n'))
}
