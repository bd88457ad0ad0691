/** `node scripts/seed-console.ts FILE [PEOPLE [TOKENS]]`: makes a SQLite database to try the console with. */
import { seedDatabase } from './seed/seed.ts'

const [database, people = '100000', tokens] = process.argv.slice(2)

if (database === undefined || [people, tokens ?? '0'].some((count) => !/^\d{1,7}$/.test(count))) {
  console.error('Usage: node scripts/seed-console.ts FILE [PEOPLE [TOKENS]]')
  process.exitCode = 2
} else {
  const start = performance.now()
  const { organizationId } = await seedDatabase({
    database,
    people: Number(people),
    ...(tokens !== undefined && { freeTokens: Number(tokens) }),
  })
  console.log(`Wrote ${people} people to ${database} in ${((performance.now() - start) / 1000).toFixed(0)} s.
Organization ${organizationId}. To try it:

  second-factor admin invite --name 'Your Name' --email you@example.com --console-url http://localhost:8787 --database ${database}
  second-factor serve --console-url http://localhost:8787 --database ${database}`)
}
