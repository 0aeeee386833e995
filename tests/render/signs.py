"""Vital signs of trainings, made by hand."""

from dataclasses import replace

from course.runs.vital_signs import (
    DataSigns,
    LossSigns,
    ModelSigns,
    OutcomeSigns,
    ParameterGroup,
    RateSigns,
    VitalSigns,
)

GROUPS = (
    ParameterGroup("bert.embeddings", 5, 5, 5, 5, 0.0132),
    ParameterGroup("bert.encoder.layer.0", 16, 16, 16, 16, 0.0213),
    ParameterGroup("bert.encoder.layer.1", 16, 16, 16, 16, 0.0198),
    ParameterGroup("bert.pooler", 2, 2, 2, 2, 0.0302),
    ParameterGroup("classifier", 2, 2, 2, 2, 0.31),
)
MODEL = ModelSigns(
    name="bert-base-uncased", device="cpu", dtype="float32", optimizer="AdamW", optimizers=1,
    parameters=41, numbers=4_385_922, learning=41, held=41, held_share=1.0, moved=41,
    moved_share=1.0, moved_by=0.0211, first_moved=2, frozen_moved=0, passes=1377, backwards=1377,
    steps=1377, without_gradient=0.0, cleared_before_step=0.0, infinite_gradient=0.0,
    gradient=1.523, train_mode_share=1.0, evaluate_mode_share=0.0, evaluated_is_trained=1,
    groups=GROUPS,
)  # fmt: skip
LOSS = LossSigns(0.7012, 0.3104, 0.6931, 0.448, 1.0)
RATE = RateSigns(5e-5, 3.63e-8, 2.5e-5, 3.63e-8, 0.0, 1e-5, 1e-4)
DATA = DataSigns(
    rows=7290, examples=2430, repeats=3.0, labels={"0": 2397, "1": 4893}, classes=2, batch_size=16,
    order=0.9931, unknown=0.0042, ignored=0.0, cut=0.0, text_columns=2, texts_in_ids=2,
    padding=1.0, split="train",
)  # fmt: skip
OUTCOME = OutcomeSigns(
    rows=300, examples=300, overlap=0.0, accuracy=0.8867, f1=0.9151, loss=0.33, baseline=2 / 3,
    f1_baseline=0.8, margin=0.22, error=0.0183, answers={"0": 98, "1": 202},
    labels={"0": 100, "1": 200}, classes=2, split="validation", compared=96,
    accuracy_before=0.5208, accuracy_after=0.875, gain=0.3542, loss_before=0.7014,
    loss_after=0.3411, loss_gain=0.36, said={"accuracy": 0.8867, "f1": 0.9151},
    said_accuracy=0.8867, said_f1=0.9151, said_off=0.0, given=300, given_answers=1.0,
    given_lowest=0.0, given_labels=0.8867, given_swapped=0.8867,
)  # fmt: skip
MEASURED = VitalSigns(MODEL, LOSS, RATE, DATA, OUTCOME)
"""A healthy training, each sign measured."""
NOTHING = VitalSigns()
"""A training of which nothing could be measured."""
STILL = tuple(replace(group, moved=0, moved_by=0.0) for group in GROUPS)
FROZEN = replace(
    MEASURED,
    model=replace(
        MODEL, moved=0, moved_share=0.0, moved_by=0.0, first_moved=None, gradient=0.0,
        without_gradient=1.0, cleared_before_step=1.0, groups=STILL,
    ),
    loss=replace(LOSS, last=0.7003, last_to_guess=1.01),
    outcome=replace(
        OUTCOME, accuracy=2 / 3, f1=0.8, margin=0.0, accuracy_before=0.6458, accuracy_after=0.6458,
        gain=0.0, loss_after=0.7014, loss_gain=0.0, answers={"1": 300},
        said_accuracy=0.95, said_f1=None, said={"accuracy": 0.95}, said_off=0.2833,
    ),
)  # fmt: skip
"""No weight moved, and the script says that it is right in 95 %."""
BROKEN = replace(
    MEASURED,
    model=replace(MODEL, moved_by=None, infinite_gradient=0.9906, gradient=None),
    loss=LossSigns(first=0.7012, guess=0.6931, finite=0.0094),
    rate=replace(RATE, highest=0.5, mean=0.25),
)
"""The loss became no number."""
KINDS = {"measured": MEASURED, "nothing": NOTHING, "frozen": FROZEN, "broken": BROKEN}
