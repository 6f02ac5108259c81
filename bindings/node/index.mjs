import toolkeep from './lib.cjs'

export const { Runtime, ToolError, ToolkeepError, generateKey, scrub, version } = toolkeep

export default toolkeep
