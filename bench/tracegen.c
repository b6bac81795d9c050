/*
 * tracegen: a Kineto-like trace of any size, on standard output.
 *
 *   tracegen [--size-mb N] [--seed N] [--crossing-permille N] [--compact]
 *
 * --size-mb            wanted size in MiB (default 64); the outcome is within about 1 %
 * --seed               another seed, another trace of the same kind (default 1)
 * --crossing-permille  how many of 1000 kernels cross the one before (default 2, at most 500)
 * --compact            without white space, so there are more events in the same size
 *
 * One training step follows another. A step is planned in a small fixed plan (two CPU threads on
 * one clock, four GPU streams), then written in Kineto's order: first annotations, python functions
 * and operators, then for each launch its kernel, `f`, runtime call and `s`. Metadata comes last,
 * as in real files. So memory is constant, whatever the size.
 *
 * CPU slices nest. Kernels of a stream touch or stand apart, but for the wanted share: these begin
 * 0.1 to 2.5 us before the end of the kernel before (to be snapped), and one in eight of them 20 to
 * 200 us before it (to be moved). A crossing kernel ends later than the
 * one it crosses, and neither of its neighbours crosses anything, so each counts exactly once.
 *
 * The bytes depend on the options alone: integer arithmetic, an own generator of random numbers,
 * and never two draws in one expression, since the compiler may choose their order.
 */
#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPS_PER_STEP = 96,
    DEPTH_MAX = 11,                     /* 3 slices of the step, 4 frames, 3 operators, a launch */
    SLICES_MAX = OPS_PER_STEP * 10 + 5, /* and for each operator 2 that have ended, for a step 2 */
    STREAMS = 4,
    OUT_NBYTES = OPS_PER_STEP << 14, /* for a whole step: an operator has less than 8 KiB */
    HOST_PID = 40213,
    MAIN_TID = HOST_PID,
    AUTOGRAD_TID = 40981,
};
#define START_NS UINT64_C(2915995397957123) /* below 2^42 us, where three decimals are exact */

/* Names stand here as they do in the file, so escaped already. */
static const char *const python_names[] = {
    "torch/nn/modules/module.py(1751): _wrapped_call_impl",
    "torch/nn/modules/linear.py(124): forward",
    "transformers/models/llama/modeling_llama.py(243): forward",
    "<built-in method to of Tensor object at 0x7f3c8a1b5e90>",
    "<eval_with_key>.14(6): forward [\\\"mode\\\": \\\"reduce-overhead\\\"]",
    "D:\\\\repos\\\\serving\\\\batcher.py(212): collate",
};
static const char *const view_names[] = {"aten::view", "aten::as_strided", "aten::empty"};
/* Operators from the outermost to the one that launches. */
static const char *const forward_names[][4] = {
    {"aten::linear", "aten::addmm"},
    {"aten::layer_norm", "aten::native_layer_norm"},
    {"aten::scaled_dot_product_attention", "aten::_scaled_dot_product_flash_attention"},
    {"aten::to", "aten::_to_copy", "aten::copy_"},
};
#define BACKWARD(node) "autograd::engine::evaluate_function: " node, node
static const char *const backward_names[][4] = {
    {BACKWARD("AddmmBackward0"), "aten::mm"},
    {BACKWARD("NativeLayerNormBackward0"), "aten::native_layer_norm_backward"},
    {BACKWARD("torch::autograd::AccumulateGrad"), "aten::add_"},
};
#define COPY                                                                                       \
    "at::native::gpu_kernel_impl_nocast<at::native::direct_copy_kernel_cuda(at::"                  \
    "TensorIteratorBase&)::{lambda()#3}::operator()() const::{lambda()#12}::operator()() const"    \
    "::{lambda(c10::BFloat16)#1}>(at::TensorIteratorBase&)::{lambda(int)#1}"
#define GEMM "cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_256x128_64x3_tn_align8"
#define TILE "cute::tuple<cute::C<128>, cute::C<176>, cute::C<128> >"
static const char *const kernel_names[] = {
    "nvjet_tst_128x256_64x4_2x1_v_bz_coopA_bias_TNT",
    "void cutlass::Kernel2<" GEMM ">(" GEMM "::Params)",
    "void cutlass::device_kernel<flash::enable_sm90<flash::FlashAttnFwdSm90<flash::"
    "CollectiveMainloopFwdSm90<2, cute::tuple<cute::C<1>, cute::C<1>, cute::C<1> >, " TILE ", 128, "
    "cutlass::bfloat16_t, float, cutlass::arch::Sm90, true, false, false, false, false, true, "
    "true, false>, flash::CollectiveEpilogueFwd<" TILE ", cute::tuple<cute::C<1>, cute::C<1>, "
    "cute::C<1> >, cutlass::bfloat16_t, cutlass::arch::Sm90, 256, false, true, false, false>, "
    "flash::SingleTileScheduler<false, false, true, 128> > > >(flash::FlashAttnFwdSm90::Params)",
    "void at::native::elementwise_kernel<128, 4, " COPY ">(int, " COPY ")",
    "triton_red_fused__to_copy_add_mean_mul_pow_rsqrt_7",
    "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
};
static const char *const dtypes[] = {"c10::BFloat16", "float", "long int"};
static const uint32_t widths[] = {1024, 4096, 11008, 14336, 32000};
static const uint32_t stream_ids[STREAMS] = {7, 13, 20, 24};
/* On average longer than the host needs between two launches on one stream, so that the streams
 * lag behind the host and their kernels stand close together. */
static const uint32_t dur_limits_ns[] = {30000, 30000, 300000, 300000, 1500000};

struct out {
    char buf[OUT_NBYTES];
    size_t len;
    uint64_t written_nbytes;
    int error; /* errno of the first write that failed */
    bool compact;
};

enum kind { ANNOTATION, PYTHON, OPERATOR, RUNTIME, KERNEL };

struct slice {
    uint64_t start_ns, end_ns;
    uint64_t id;     /* External id, Python id or, for a runtime call, the correlation */
    uint64_t parent; /* id of the slice around it; for a kernel, External id of its operator */
    const char *name;
    enum kind kind;
    uint32_t tid;
};

struct gen {
    struct out out;
    uint64_t rng, crossing_permille;
    uint64_t now_ns, last_id, steps, ops, crossings_owed;
    uint64_t stream_end_ns[STREAMS];   /* end of its last kernel */
    uint64_t stream_cross_ns[STREAMS]; /* if not 0: its next kernel begins so much before that */
    struct slice slice[SLICES_MAX];    /* the plan of a step, CPU threads */
    struct slice *open[DEPTH_MAX];
    struct slice kernel[OPS_PER_STEP]; /* the plan of a step, GPU streams */
    const struct slice *launch[OPS_PER_STEP];
    size_t slices, depth, kernels;
};

/* ---- output ---- */

/* In place, outside of strings. These are never cut, since the buffer holds whole events. */
static size_t squeeze(char *buf, size_t len)
{
    size_t kept = 0;
    for (size_t i = 0; i < len; i++) {
        char c = buf[i];
        if (c == ' ' || c == '\n')
            continue;
        buf[kept++] = c;
        if (c != '"')
            continue;
        do {
            buf[kept++] = c = buf[++i];
            if (c == '\\')
                buf[kept++] = buf[++i];
        } while (c != '"');
    }
    return kept;
}

static void flush(struct out *o)
{
    size_t len = o->compact ? squeeze(o->buf, o->len) : o->len;
    if (!o->error && fwrite(o->buf, 1, len, stdout) != len)
        o->error = errno;
    o->written_nbytes += len;
    o->len = 0;
}

static void put(struct out *o, const char *s, size_t len)
{
    assert(len <= OUT_NBYTES - o->len);
    memcpy(o->buf + o->len, s, len);
    o->len += len;
}

static void put_text(struct out *o, const char *s)
{
    put(o, s, strlen(s));
}

/* At least `width` digits, so that a fraction keeps its leading zeros. */
static void put_digits(struct out *o, uint64_t v, int width)
{
    char digits[20];
    size_t at = sizeof(digits);
    for (; v || width > 0; v /= 10, width--)
        digits[--at] = (char)('0' + v % 10);
    put(o, digits + at, sizeof(digits) - at);
}

/* `form` with @s replaced by `text`, @u by the next value and @t by the next in thousandths (so
 * ns become us). An array and no variable arguments, so that the compiler converts every value.
 * The analyzer does not know that a form has as many marks as there are values. */
static void put_form(struct out *o, const char *form, const char *text, const uint64_t *value)
{
    for (const char *mark; (mark = strchr(form, '@')); form = mark + 2) {
        put(o, form, (size_t)(mark - form));
        if (mark[1] == 's') {
            put_text(o, text);
        } else if (mark[1] == 't') {
            put_digits(o, *value / 1000, 1); /* NOLINT */
            put(o, ".", 1);
            put_digits(o, *value++ % 1000, 3);
        } else {
            put_digits(o, *value++, 1); /* NOLINT */
        }
    }
    put_text(o, form);
}
#define FORM(o, form, text, ...) put_form(o, form, text, (const uint64_t[]){__VA_ARGS__})

/* Random, low to high, both included: splitmix64, and a multiplication, which is much cheaper than
 * a division. */
static uint32_t between(struct gen *g, uint32_t low, uint32_t high)
{
    uint64_t z = (g->rng += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return low + (uint32_t)(((z >> 32) * (high - low + 1)) >> 32);
}

#define PICK(g, array) ((array)[between(g, 0, sizeof(array) / sizeof((array)[0]) - 1)])

/* ---- one step: the plan ---- */

static struct slice *open_slice(struct gen *g, enum kind kind, uint32_t tid, const char *name)
{
    assert(g->slices < SLICES_MAX && g->depth < DEPTH_MAX);
    struct slice *s = &g->slice[g->slices++];
    g->now_ns += between(g, 150, 2500);
    *s = (struct slice){.start_ns = g->now_ns, .id = ++g->last_id, .name = name, .kind = kind};
    s->tid = tid;
    s->parent = g->depth > 0 ? g->open[g->depth - 1]->id : 0;
    g->open[g->depth++] = s;
    return s;
}

static void close_slice(struct gen *g)
{
    g->now_ns += between(g, 150, 4000);
    g->open[--g->depth]->end_ns = g->now_ns;
}

static void plan_kernel(struct gen *g, const struct slice *launch)
{
    struct slice *k = &g->kernel[g->kernels];
    g->launch[g->kernels++] = launch;
    *k = (struct slice){.id = launch->id, .parent = launch->parent, .kind = KERNEL};
    k->name = PICK(g, kernel_names);
    uint32_t stream = between(g, 0, STREAMS - 1);
    k->tid = stream_ids[stream];
    uint64_t *end_ns = &g->stream_end_ns[stream], *cross_ns = &g->stream_cross_ns[stream];
    uint64_t ready_ns = launch->start_ns + between(g, 3000, 9000);
    uint64_t dur_ns = between(g, 2000, PICK(g, dur_limits_ns));
    g->crossings_owed += between(g, 1, 1000) <= g->crossing_permille;

    if (*cross_ns && *end_ns >= ready_ns + *cross_ns) {
        /* It ends at least 6 us after the one it crosses: less, and a trimmed end would settle
         * even a large crossing. */
        k->start_ns = *end_ns - *cross_ns;
        k->end_ns = *end_ns + 6000 + dur_ns;
        *cross_ns = 0;
    } else {
        /* A crossing that is due but would begin before its launch waits for the next kernel. */
        if (!*cross_ns && g->crossings_owed > 0) {
            *cross_ns = between(g, 1, 8) == 1 ? between(g, 20000, 200000) : between(g, 100, 2500);
            g->crossings_owed--;
        }
        k->start_ns = *end_ns + (between(g, 1, 8) == 1 ? 0 : between(g, 300, 2600));
        if (k->start_ns < ready_ns)
            k->start_ns = ready_ns;
        k->end_ns = k->start_ns + dur_ns + *cross_ns;
    }
    *end_ns = k->end_ns;
}

static void plan_op(struct gen *g, uint32_t tid)
{
    size_t depth = g->depth;
    const char *const *names;
    if (tid == MAIN_TID) {
        for (uint32_t frames = between(g, 1, 4); frames > 0; frames--)
            open_slice(g, PYTHON, tid, PICK(g, python_names));
        open_slice(g, PYTHON, tid, "<built-in function isinstance>");
        close_slice(g);
        names = PICK(g, forward_names);
    } else {
        names = PICK(g, backward_names);
    }
    for (; *names; names++)
        open_slice(g, OPERATOR, tid, *names);
    if (between(g, 1, 2) == 1) {
        open_slice(g, OPERATOR, tid, PICK(g, view_names));
        close_slice(g);
    }
    plan_kernel(g, open_slice(g, RUNTIME, tid, "cudaLaunchKernel"));
    while (g->depth > depth)
        close_slice(g);
}

static void plan_step(struct gen *g, uint32_t ops)
{
    g->slices = g->kernels = 0;
    g->ops += ops;
    g->steps++;
    open_slice(g, ANNOTATION, MAIN_TID, "ProfilerStep#");
    open_slice(g, PYTHON, MAIN_TID, "train.py(318): train_step");
    open_slice(g, PYTHON, MAIN_TID, "nn.Module: LlamaForCausalLM_0");
    for (uint32_t i = 0; i < ops - ops / 2; i++)
        plan_op(g, MAIN_TID);
    close_slice(g);
    open_slice(g, PYTHON, MAIN_TID, "torch/_tensor.py(592): backward");
    for (uint32_t i = 0; i < ops / 2; i++)
        plan_op(g, AUTOGRAD_TID);
    close_slice(g);
    open_slice(g, RUNTIME, MAIN_TID, "cudaDeviceSynchronize");
    for (size_t i = 0; i < STREAMS; i++) {
        if (g->now_ns < g->stream_end_ns[i])
            g->now_ns = g->stream_end_ns[i];
    }
    while (g->depth > 0)
        close_slice(g);
}

/* ---- one step: the text ---- */

#define FLOW(phase, more)                                                                          \
    "  {\n    \"ph\": \"" phase "\", \"id\": @u, \"pid\": @u, \"tid\": @u, \"ts\": @t,\n"          \
    "    \"cat\": \"ac2g\", \"name\": \"ac2g\"" more "\n  },\n"

static void put_operator_args(struct gen *g, const struct slice *s)
{
    uint64_t tokens = between(g, 1, 8192);
    uint64_t in = PICK(g, widths);
    uint64_t out = PICK(g, widths);
    FORM(&g->out, s->tid == MAIN_TID ? "" : "\"Sequence number\": @u, \"Fwd thread id\": 1, ", "",
         s->id / 2);
    FORM(&g->out,
         "\"Record function id\": 0, \"Concrete Inputs\": [\"\", \"\", \"1\"], "
         "\"Input type\": [\"@s\", \"Scalar\", \"Scalar\"], \"Input Strides\": [[@u, 1], [1, @u], "
         "[]], \"Input Dims\": [[@u, @u], [@u, @u], []], ",
         PICK(g, dtypes), in, in, tokens, in, in, out);
}

static void put_kernel_args(struct gen *g, const struct slice *k)
{
    uint64_t grid = between(g, 1, 4096);
    uint64_t warps = between(g, 1, 32);
    FORM(&g->out,
         "\"External id\": @u,      \"queued\": 0, \"device\": 0, \"context\": 1,      "
         "\"stream\": @u, \"correlation\": @u,      \"registers per thread\": @u,      "
         "\"shared memory\": 49152,      \"blocks per SM\": @t,      \"warps per SM\": @t,      "
         "\"grid\": [@u, 1, 1],      \"block\": [@u, 1, 1],      "
         "\"est. achieved occupancy %\": @u",
         "", k->parent, k->tid, k->id, warps * 8 - 1, grid * 1000 / 132, grid * warps * 1000 / 132,
         grid, warps * 32, grid % 101);
}

static void put_slice(struct gen *g, const struct slice *s)
{
    static const char *const categories[] = {"user_annotation", "python_function", "cpu_op",
                                             "cuda_runtime", "kernel"};
    struct out *o = &g->out;
    FORM(o, "  {\n    \"ph\": \"X\", \"cat\": \"@s\", \"name\": \"", categories[s->kind], 0);
    FORM(o, s->kind == ANNOTATION ? "@s@u" : "@s", s->name, g->steps);
    FORM(o, "\", \"pid\": @u, \"tid\": @u,\n    \"ts\": @t, \"dur\": @t,\n    \"args\": {\n      ",
         "", s->kind == KERNEL ? 0 : HOST_PID, s->tid, s->start_ns, s->end_ns - s->start_ns);
    if (s->kind == KERNEL) {
        put_kernel_args(g, s);
    } else if (s->kind == RUNTIME) {
        FORM(o, "\"External id\": @u, \"cbid\": 211, \"correlation\": @u", "", s->parent, s->id);
    } else if (s->kind == PYTHON) {
        FORM(o, "\"Python parent id\": @u, \"Python id\": @u, \"Ev Idx\": @u", "", s->parent, s->id,
             s->id);
    } else {
        FORM(o, "\"External id\": @u,", "", s->id);
        if (s->kind == OPERATOR)
            put_operator_args(g, s);
        FORM(o, "\"Ev Idx\": @u", "", s->id);
    }
    put_text(o, "\n    }\n  },\n");
}

static void put_step(struct gen *g)
{
    for (size_t i = 0; i < g->slices; i++) {
        if (g->slice[i].kind != RUNTIME)
            put_slice(g, &g->slice[i]);
    }
    for (size_t i = 0; i < g->kernels; i++) {
        const struct slice *k = &g->kernel[i], *launch = g->launch[i];
        put_slice(g, k);
        FORM(&g->out, FLOW("f", ", \"bp\": \"e\""), "", k->id, 0, k->tid, k->start_ns);
        put_slice(g, launch);
        FORM(&g->out, FLOW("s", ""), "", k->id, HOST_PID, launch->tid, launch->start_ns);
    }
    put_slice(g, &g->slice[g->slices - 1]); /* the wait for the streams, planned last */
    flush(&g->out);
}

/* ---- the file around the steps ---- */

static void put_header(struct out *o)
{
    put_text(o, "{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [\n");
    for (uint64_t i = 0; i < 8; i++)
        FORM(o,
             "    {\n      \"id\": @u, \"name\": \"NVIDIA H100 80GB HBM3\", "
             "\"totalGlobalMem\": 85018279936,\n      \"computeMajor\": 9, \"computeMinor\": 0,\n"
             "      \"maxThreadsPerBlock\": 1024, \"warpSize\": 32, \"numSms\": 132\n    }@s\n",
             i < 7 ? "," : "", i);
    put_text(o, "  ],\n  \"cuda_runtime_version\": 12040,\n  \"with_stack\": 1,\n"
                "  \"distributedInfo\": {\"backend\": \"nccl\", \"rank\": 0, \"world_size\": 8},\n"
                "  \"displayTimeUnit\": \"ms\",\n"
                "  \"baseTimeNanoseconds\": 1751410836000000000,\n  \"traceEvents\": [\n");
}

static void put_meta(struct out *o, uint64_t pid, uint64_t tid, const char *what, const char *arg)
{
    FORM(o, "  {\n    \"name\": \"@s\", \"ph\": \"M\", \"ts\": @t, \"pid\": @u, \"tid\": @u,\n    ",
         what, START_NS, pid, tid);
    put_text(o, "\"args\": {\n      ");
    FORM(o, arg, "", tid ? tid : pid);
    put_text(o, "\n    }\n  },\n");
}

static void put_trailer(struct gen *g)
{
    struct out *o = &g->out;
    put_meta(o, HOST_PID, 0, "process_name", "\"name\": \"python3.12\"");
    put_meta(o, HOST_PID, 0, "process_sort_index", "\"sort_index\": @u");
    put_meta(o, 0, 0, "process_name", "\"name\": \"python3.12\"");
    put_meta(o, 0, 0, "process_sort_index", "\"sort_index\": 5000000");
    put_meta(o, HOST_PID, MAIN_TID, "thread_name", "\"name\": \"thread @u (python3.12)\"");
    put_meta(o, HOST_PID, MAIN_TID, "thread_sort_index", "\"sort_index\": @u");
    put_meta(o, HOST_PID, AUTOGRAD_TID, "thread_name", "\"name\": \"thread @u (pt_autograd_0)\"");
    put_meta(o, HOST_PID, AUTOGRAD_TID, "thread_sort_index", "\"sort_index\": @u");
    for (size_t i = 0; i < STREAMS; i++) {
        put_meta(o, 0, stream_ids[i], "thread_name", "\"name\": \"stream @u \"");
        put_meta(o, 0, stream_ids[i], "thread_sort_index", "\"sort_index\": @u");
    }
    FORM(o,
         "  {\n    \"ph\": \"X\", \"cat\": \"Trace\", \"ts\": @t, \"dur\": @t,\n"
         "    \"pid\": \"Spans\", \"tid\": \"PyTorch Profiler\", \"name\": \"PyTorch Profiler\",\n"
         "    \"args\": {\n      \"Op count\": 0\n    }\n  },\n"
         "  {\n    \"name\": \"Record Window End\", \"ph\": \"i\", \"s\": \"g\",\n"
         "    \"pid\": \"\", \"tid\": \"\", \"ts\": @t\n  }\n"
         "  ],\n  \"traceName\": \"/tmp/kineto_activities_40213.json\"\n}\n",
         "", START_NS, g->now_ns - START_NS, g->now_ns);
    flush(o);
}

/* How many operators the next step shall have: 0 when the size is reached. */
static uint32_t next_step_ops(const struct gen *g, uint64_t wanted_nbytes)
{
    uint64_t done_nbytes = g->out.written_nbytes + 3400; /* the trailer */
    uint64_t op_nbytes = g->ops ? g->out.written_nbytes / g->ops : 4000;
    uint64_t ops = done_nbytes < wanted_nbytes ? (wanted_nbytes - done_nbytes) / op_nbytes : 0;
    return ops < OPS_PER_STEP ? (uint32_t)ops : OPS_PER_STEP;
}

static bool parse_number(const char *s, uint64_t *number)
{
    char *end;
    errno = 0;
    *number = strtoull(s, &end, 10);
    return s[0] >= '0' && s[0] <= '9' && !*end && !errno;
}

static bool parse_options(char **argv, struct gen *g, uint64_t *size_mb)
{
    for (argv++; *argv; argv++) {
        uint64_t *number = strcmp(*argv, "--size-mb") == 0             ? size_mb
                           : strcmp(*argv, "--seed") == 0              ? &g->rng
                           : strcmp(*argv, "--crossing-permille") == 0 ? &g->crossing_permille
                                                                       : NULL;
        if (strcmp(*argv, "--compact") == 0)
            g->out.compact = true;
        else if (!number || !*++argv || !parse_number(*argv, number))
            return false;
    }
    return *size_mb >= 1 && *size_mb <= 1 << 30 && g->crossing_permille <= 500;
}

int main(int argc, char **argv)
{
    static struct gen gen; /* too large for a stack */
    struct gen *g = &gen;
    uint64_t size_mb = 64;
    g->rng = 1;
    g->crossing_permille = 2;
    g->now_ns = START_NS;
    if (argc < 1 || !parse_options(argv, g, &size_mb)) {
        fputs("usage: tracegen [--size-mb N] [--seed N] [--crossing-permille N] [--compact]\n",
              stderr);
        return 2;
    }
    put_header(&g->out);
    flush(&g->out);
    for (uint32_t ops; !g->out.error && (ops = next_step_ops(g, size_mb << 20)) > 0;) {
        plan_step(g, ops);
        put_step(g);
    }
    put_trailer(g);
    if (fclose(stdout) != 0 && !g->out.error)
        g->out.error = errno;
    if (g->out.error) {
        fprintf(stderr, "tracegen: standard output: %s\n", strerror(g->out.error));
        return 1;
    }
    return 0;
}
