import { describeTypes } from './consumers.ts'

describeTypes({ version: '7', name: 'typescript' })
