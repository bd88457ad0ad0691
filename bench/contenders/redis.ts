/** Where web apps keep their web sessions in a process of its own, which does not count as theirs. */
import { listenAsRedis } from '../../test/support/redis-stand-in.ts'
import { ready } from './listen.ts'

const { url, close } = await listenAsRedis()
ready({ url }, close)
