/* Following events. Part of smoke.c. */
#ifndef EVENTS_H
#define EVENTS_H

/* An event's text has a length and no zero byte at its end. */
static int tells(toolkeep_str event_json, const char *what) {
  size_t length = strlen(what), at;
  for (at = 0; at + length <= event_json.len; at++) {
    if (memcmp(event_json.ptr + at, what, length) == 0)
      return 1;
  }
  return 0;
}

static void event(void *data, toolkeep_str event_json) {
  Box *box = data;
  CHECK(event_json.len > 0 && event_json.ptr[0] == '{');
  if (tells(event_json, "\"call.completed\""))
    box_tick(box, &box->count);
}

/* Waits until the subscription is done with the event of that place. */
static void comes_to(toolkeep_subscription *subscription, int64_t place) {
  int64_t cursor = -1;
  int tries;
  for (tries = 0; tries < 1000 && cursor != place; tries++) {
    OK(toolkeep_subscription_cursor(subscription, &cursor));
    pause_ms(5);
  }
  CHECK(cursor == place);
}

static toolkeep_subscription *own;

static void last_event(void *data, toolkeep_str event_json) {
  Box *box = data;
  (void)event_json;
  pthread_mutex_lock(&box->lock);
  pthread_mutex_unlock(&box->lock);
  toolkeep_subscription_free(own);
  box_tick(box, &box->count);
}

static void events_are_followed_until_the_subscription_is_freed(void) {
  toolkeep_runtime *runtime = open_runtime("");
  toolkeep_subscription *subscription = NULL;
  Box all = BOX, one = BOX;
  int seen;
  add(runtime, SPEC("echo"), tool_echo, NULL);
  OK(toolkeep_events_subscribe(runtime, TOOLKEEP_STR("{\"after\": 0}"), event, &all, destroy,
                               &subscription));
  toolkeep_string_free(call(runtime, "echo", ""));
  toolkeep_string_free(call(runtime, "echo", ""));
  box_wait(&all, &all.count, 2);
  comes_to(subscription, 2);
  toolkeep_subscription_free(subscription);
  CHECK(all.destroyed == 1);
  seen = all.count;

  pthread_mutex_lock(&one.lock); /* until `own` is set */
  OK(toolkeep_events_subscribe(runtime, NO_TEXT, last_event, &one, destroy, &own));
  pthread_mutex_unlock(&one.lock);
  box_wait(&one, &one.count, 1);
  box_wait(&one, &one.destroyed, 1);
  toolkeep_string_free(call(runtime, "echo", ""));
  pause_ms(100);
  CHECK(all.count == seen && one.count == 1);

  OK(toolkeep_events_subscribe(runtime, NO_TEXT, event, &all, destroy, &subscription));
  toolkeep_runtime_free(runtime);
  toolkeep_subscription_free(subscription);
  box_wait(&all, &all.destroyed, 2);
}

static Box begun = BOX;

/* Is slow for as long as its box is locked. */
static void slow_event(void *data, toolkeep_str event_json) {
  Box *box = data;
  int64_t cursor = -1;
  (void)event_json;
  box_tick(&begun, &begun.count);
  pthread_mutex_lock(&box->lock);
  pthread_mutex_unlock(&box->lock);
  /* It is done only with the events before this one. */
  OK(toolkeep_subscription_cursor(own, &cursor));
  CHECK(cursor == (box->count == 0 ? 0 : 1));
  box_tick(box, &box->count);
}

static void chosen_event(void *data, toolkeep_str event_json) {
  Box *box = data;
  CHECK(tells(event_json, "\"agent.changed\""));
  box_tick(box, &box->count);
}

static void a_slow_reader_sees_how_much_it_missed(void) {
  toolkeep_runtime *runtime = open_runtime("");
  toolkeep_subscription *subscription = NULL;
  toolkeep_string *out = NULL;
  Box slow = BOX, chosen = BOX, none = BOX;
  uint64_t dropped = 99;
  int i;
  add(runtime, SPEC("echo"), tool_echo, NULL);
  toolkeep_string_free(call(runtime, "echo", ""));
  pthread_mutex_lock(&slow.lock);
  OK(toolkeep_events_subscribe(runtime, NO_TEXT, slow_event, &slow, destroy, &own));
  OK(toolkeep_subscription_dropped(own, &dropped));
  CHECK(dropped == 0);
  box_wait(&begun, &begun.count, 1);
  for (i = 0; i < 4; i++)
    toolkeep_string_free(call(runtime, "echo", ""));
  OK(toolkeep_invoke(runtime, TOOLKEEP_STR("events.prune"), TOOLKEEP_STR("{\"keep\": 1}"), &out));
  CHECK(holds(out, "{\"pruned\":4}"));
  pthread_mutex_unlock(&slow.lock);
  box_wait(&slow, &slow.count, 2);
  comes_to(own, 5);
  OK(toolkeep_subscription_dropped(own, &dropped));
  CHECK(dropped == 3);
  toolkeep_subscription_free(own);

  /* What is not chosen is passed over, and the cursor with it. */
  OK(toolkeep_events_subscribe(
      runtime, TOOLKEEP_STR("{\"after\": 4, \"kinds\": [\"agent.\"], \"subject\": \"a\"}"),
      chosen_event, &chosen, destroy, &subscription));
  comes_to(subscription, 5);
  OK(toolkeep_invoke(runtime, TOOLKEEP_STR("agents.put"), TOOLKEEP_STR("{\"id\": \"a\"}"), &out));
  CHECK(holds(out, "\"id\":\"a\""));
  box_wait(&chosen, &chosen.count, 1);
  toolkeep_subscription_free(subscription);

  /* A place of another store ends the subscription. */
  OK(toolkeep_events_subscribe(runtime, TOOLKEEP_STR("{\"after\": 700}"), event, &none, destroy,
                               &subscription));
  box_wait(&none, &none.destroyed, 1);
  CHECK(none.count == 0);
  toolkeep_subscription_free(subscription);
  toolkeep_runtime_free(runtime);
}

#endif
