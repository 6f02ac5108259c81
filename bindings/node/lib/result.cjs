'use strict'
// Results of calls and explanations, in our names.

/** Core's name of each field of a result, by ours. */
const FIELDS = {
  forLlm: 'for_llm',
  forUser: 'for_user',
  isError: 'is_error',
  code: 'code',
  rule: 'rule',
  retryAfterMs: 'retry_after_ms',
  silent: 'silent',
  isAsync: 'is_async',
  media: 'media',
  structured: 'structured',
  artifact: 'artifact',
  repairs: 'repairs',
  cached: 'cached',
  approval: 'approval',
  callId: 'call_id',
  durationUs: 'duration_us',
}

/** A result of core's as an object of ours. */
function resultOf(core) {
  return {
    forLlm: core.for_llm,
    forUser: core.for_user,
    isError: core.is_error,
    code: core.code,
    rule: core.rule,
    retryAfterMs: core.retry_after_ms,
    silent: core.silent,
    isAsync: core.is_async,
    media: core.media,
    structured: core.structured,
    artifact: core.artifact,
    repairs: core.repairs ?? [],
    cached: core.cached ?? false,
    approval: core.approval ?? null,
    callId: core.call_id,
    durationUs: core.duration_us,
  }
}

/** An explanation of core's as an object of ours. */
function explanationOf(core) {
  return {
    tool: core.tool,
    allowed: core.allowed,
    wouldBeRefused: core.would_be_refused ?? false,
    code: core.code,
    rule: core.rule,
    asks: core.asks ?? null,
    steps: core.steps.map((step) => ({ rule: null, ...step })),
    source: core.source ?? '',
  }
}

/**
 * What a tool returned, for core: an object with `forLlm` is a whole result. What another call went
 * through is not told of this one.
 */
function returned(value) {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, 'forLlm')) return value
  const { repairs, cached, approval, ...own } = value
  const fields = Object.entries(own).map(([key, field]) => [FIELDS[key] ?? key, field])
  return Object.fromEntries(fields)
}

module.exports = { explanationOf, resultOf, returned }
