import { describeTypes } from './consumers.ts'

// It takes 20 seconds to check declarations by themselves, those of others among them.
describeTypes({ version: '5.9', name: 'typescript59', options: { skipLibCheck: true } })
describeTypes({
  version: '5.4',
  name: 'typescript54',
  options: { target: 'es2022', lib: ['es2023', 'dom'] },
  lacks: ['nodenext', 'node20'],
})
